import { DEFAULT_PLATFORM } from '../catalog/settings.ts';
import type { PlatformClient } from '../client/client.ts';
import { aboutFamilies, collectors as allCollectors } from '../collectors/index.ts';
import type { ApiConfig, Config, OrgConfig } from '../config/config.ts';
import { createExposition } from '../exposition/exposition.ts';
import { Instruments } from '../exposition/instruments.ts';
import { Page } from '../exposition/page.ts';
import { createTextRenderer } from '../exposition/text.ts';
import { createLogger } from '../log/log-winston.ts';
import { createLoggedProgress, type Progress } from '../log/progress.ts';
import { createRedactor } from '../log/redact.ts';
import { Publisher } from '../pipeline/publisher.ts';
import { createRunStates } from '../pipeline/run-states.ts';
import { isIdentityOn } from '../platforms/index.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import { CronTicker, type Ticker } from '../scheduler/ticker.ts';
import type { LeaderIntervals } from '../store/leader-row.ts';
import type { ConfigError } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import { createTurns } from '../work/turns.ts';
import { Leading } from './leading.ts';
import { notPolledOf } from './polled-orgs.ts';
import { openStorage, type Storage } from './store.ts';
import { Traffic, trafficSettings } from './traffic.ts';

/** The environment of the process. */
export interface CliEnvironment {
  readonly version: string;
  readonly revision: string;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Destination of the log. */
  readonly stderr: NodeJS.WritableStream;
  readonly ticker?: Ticker;
  /** Shows the progress of the first sync; logged by default. */
  readonly progress?: Progress;
  /** Intervals of leadership; shorter ones in tests. */
  readonly leaderIntervals?: LeaderIntervals;
}

/**
 * The parts that live as long as the process, because a reload must not reset them: the store, counters, the page, traffic limits.
 * They depend on no setting that a reload can change.
 */
export type Core = Awaited<ReturnType<typeof createCore>>;

/** Values of the configuration in use that the core reads, and the events that it reports. */
interface CoreEvents {
  /** The current secrets to redact. */
  secrets(): Iterable<string>;
  /** The organizations in use. */
  orgs(): readonly OrgConfig[];
  /** Called with the error that ends the process. */
  onExit(error: ConfigError): void;
}

/** The longest turn of a run: a longer run mostly waits for the platform, and must not delay other organizations. */
const SLOW_TURN_MS = 2_000;

/** Every family that can be published, in page order, regardless of the configuration. */
function publishedFamilies() {
  const ofCollectors = allCollectors.flatMap(({ name: collector, families }) =>
    families.map(({ name, help }) => ({ name, help, collector })),
  );
  return [...ofCollectors, ...aboutFamilies.map(({ name, help }) => ({ name, help }))];
}

function instrumentsOf(
  { version, revision, clock }: CliEnvironment,
  parts: { readonly page: Page; readonly store: Storage; notPolled(): readonly string[] },
): Instruments {
  const { page, store, notPolled } = parts;
  const { leadership } = store;
  return new Instruments({
    ...{ version, revision, clock },
    page,
    store: store.shown,
    leader: leadership && { isLeader: () => leadership.isLeader(), notPolled: () => notPolled().length },
  });
}

/** Creates the core; rejects with a `ConfigError` if the history's path is not a file that may be used. */
export async function createCore(config: Config, environment: CliEnvironment, events: CoreEvents) {
  const { version, clock, random, stderr } = environment;
  const stopping = new AbortController();
  const redactor = createRedactor(events.secrets);
  const log = createLogger({ ...config.log, stream: stderr, clock, redactor });
  const page = new Page({ families: publishedFamilies(), clock, log });
  const store = await openStorage({
    ...config.storage,
    collectors: allCollectors,
    leaderIntervals: environment.leaderIntervals,
    clock,
    log,
    signal: stopping.signal,
    onExit: events.onExit,
  });
  const { store: history } = store;
  const notPolled = () => notPolledOf(store.leadership, events.orgs());
  const instruments = instrumentsOf(environment, { page, store, notPolled });
  const leading = new Leading(store.leadership, clock);
  const traffic = new Traffic({ history, clock, log }, trafficSettings(config, []));
  return {
    log,
    redactor,
    clock,
    history,
    store,
    instruments,
    /** Whether this process polls. */
    leading,
    /** The organizations that no process polls. */
    notPolled,
    page,
    exposition: createExposition({ page, instruments, clock }),
    /** Publishes the stored data of each organization. */
    publisher: new Publisher({
      ...{ history, page, instruments, aboutFamilies, clock, log },
      renderText: createTextRenderer({ clock }),
      hasOtherSettings: () => store.leadership?.hasOtherSettings() === true,
      isOwnHistory: ({ platform = DEFAULT_PLATFORM, identityAlone }, orgId) =>
        isIdentityOn({ name: platform }, orgId, identityAlone),
    }),
    /** The run state of each collector, with what its runs have learned, such as the size of windows. */
    runs: createRunStates(),
    /** Rate limits, quotas and pauses of each organization. */
    traffic,
    /** Limits the number of runs that work at the same time, over all organizations. */
    turns: createTurns({
      limit: config.api.maxConcurrentRequests,
      closing: stopping.signal,
      slow: { ms: SLOW_TURN_MS, clock },
    }),
    scheduler: new Scheduler({
      ticker: environment.ticker ?? new CronTicker({ clock, log }),
      ...{ clock, random, log },
    }),
    progress: environment.progress ?? createLoggedProgress({ clock, log }),
    /** Aborted when the process stops. */
    stopping,
    /** Loads the client's libraries on first use; rejects with a `ConfigError` on an invalid address or proxy. */
    async createClient(org: OrgConfig, api: ApiConfig): Promise<PlatformClient> {
      const { createOrgClient } = await import('./clients.ts');
      const parts = { traffic, version, instruments, clock, random, log };
      return createOrgClient(org, api, { ...parts, demand: () => leading.demand() });
    },
  };
}
