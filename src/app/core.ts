import { collectors as allCollectors } from '../collectors/index.ts';
import type { ApiConfig, OrgConfig, StartConfig } from '../config/config.ts';
import { createExposition, type Exposition } from '../exposition/exposition.ts';
import { createInstruments, type Instruments } from '../exposition/instruments.ts';
import { createPublication, type Publication } from '../exposition/publication.ts';
import { createSegmentRenderer, type RenderSegment } from '../exposition/segment.ts';
import type { History } from '../history/history.ts';
import { createPublishedOrgs, type PublishedOrgs } from '../pipeline/published-orgs.ts';
import { createRunMemory, type RunMemory } from '../pipeline/run-memory.ts';
import { createRunStates, type RunStates } from '../pipeline/run-states.ts';
import type { PlatformClient } from '../platform/client.ts';
import type { Clock } from '../runtime/clock.ts';
import { type ClosableLogger, createLogger, type LogLevel } from '../runtime/log-winston.ts';
import { createLoggedProgress, type Progress } from '../runtime/progress.ts';
import { createRedactor, type Redactor } from '../runtime/redact.ts';
import { createScheduler, type Scheduler } from '../scheduler/scheduler.ts';
import { createCronTicker, type Ticker } from '../scheduler/ticker.ts';
import { publishedFamilies } from './families.ts';
import { openHistory } from './history.ts';
import { createTraffic, type Traffic, type TrafficSettings } from './traffic.ts';

/** What surrounds the process. */
export interface CliEnvironment {
  readonly version: string;
  readonly revision: string;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Where the log goes. */
  readonly stderr: NodeJS.WritableStream;
  readonly ticker?: Ticker;
  /** Shows how the first sync goes; the log says it where not given. */
  readonly progress?: Progress;
}

/**
 * What lives as long as the process: what was fetched, counted and published, and what a reload must not reset. It
 * knows no setting that a reload changes.
 */
export interface Core {
  readonly log: ClosableLogger;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly history: History;
  readonly instruments: Instruments;
  readonly publication: Publication;
  readonly exposition: Exposition;
  /** What is published of each organization. */
  readonly published: PublishedOrgs;
  /** How the runs of each collector went. */
  readonly runs: RunStates;
  /** What the runs of each collector have learnt, such as the size of its windows. */
  readonly memory: RunMemory;
  /** What paces, counts and holds back the requests of each organization. */
  readonly traffic: Traffic;
  readonly scheduler: Scheduler;
  readonly progress: Progress;
  readonly renderSegment: RenderSegment;
  /** Aborted when the process ends. */
  readonly stopping: AbortController;
  /** Loads the client's libraries where they are not loaded yet; rejects with a `ConfigError` on an unusable address or proxy. */
  createClient(org: OrgConfig, api: ApiConfig): Promise<PlatformClient>;
  /** Publishes what is known of an organization, by the deployment in use; resolves at once where that has none. */
  publish(org: string, collectors: readonly string[]): Promise<void>;
  /** Called when a collector has asked for its newest data. */
  onTried(): void;
}

/** What the core asks of the deployment in use. */
export interface CoreEvents extends Pick<Core, 'publish' | 'onTried'> {
  /** What no log may repeat at this moment. */
  secrets(): Iterable<string>;
  /** Called when the history's file has brought more than was known, later than at the start. */
  onLateLoad(): void;
}

/** Creates the core; rejects with a `ConfigError` where the history's file must be left alone. */
export async function createCore(
  config: StartConfig,
  first: { readonly traffic: TrafficSettings; readonly logLevel: LogLevel },
  surroundings: CliEnvironment,
  events: CoreEvents,
): Promise<Core> {
  const { version, revision, clock, random, stderr } = surroundings;
  const redactor = createRedactor(events.secrets);
  const log = createLogger({ ...config.log, level: first.logLevel, stream: stderr, clock, redactor });
  const publication = createPublication({ families: publishedFamilies(), clock, log });
  const { history, isPersistent } = await openHistory({
    ...config.storage,
    collectors: allCollectors,
    onLateLoad: events.onLateLoad,
    ...{ clock, log },
  });
  const instruments = createInstruments({
    series: () => publication.current().series,
    historyPersistent: isPersistent,
    ...{ version, revision, clock },
  });
  const traffic = createTraffic({ history, clock }, first.traffic);
  return {
    ...{ log, redactor, clock, history, instruments, publication, traffic },
    exposition: createExposition({ publication, registry: instruments.registry, clock }),
    published: createPublishedOrgs(publication),
    runs: createRunStates(),
    memory: createRunMemory(),
    scheduler: createScheduler({
      ticker: surroundings.ticker ?? createCronTicker({ clock, log }),
      clock,
      random,
      log,
    }),
    progress: surroundings.progress ?? createLoggedProgress({ clock, log }),
    renderSegment: createSegmentRenderer({ clock }),
    stopping: new AbortController(),
    async createClient(org, api) {
      const { createOrgClient } = await import('./clients.ts');
      return createOrgClient(org, api, { traffic, version, instruments, clock, random, log });
    },
    publish: events.publish,
    onTried: events.onTried,
  };
}
