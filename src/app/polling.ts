import type { FetchingCollector } from '../catalog/collector.ts';
import type { Instant } from '../catalog/day.ts';
import type { ConfigChanges } from '../config/changes.ts';
import type { Runner } from '../pipeline/runner.ts';
import type { PlatformClient } from '../platform/client.ts';
import type { ActivePause } from '../platform/pause.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { createScheduler } from '../scheduler/scheduler.ts';
import type { Ticker } from '../scheduler/ticker.ts';
import type { Clients } from './clients.ts';
import type { Setup } from './setup.ts';

/** One collector of one organization. */
export interface PollingTarget {
  readonly org: string;
  readonly collector: string;
}

/** A part of an organization's platform that is not asked for a while. */
export interface PausedPart extends ActivePause {
  readonly org: string;
}

/** Runs the configured collectors of the configured organizations. */
export interface Polling {
  /** What is polled at present. */
  targets(): readonly PollingTarget[];
  /** Connects every organization; throws a `ConfigError` on an address or a proxy that is none. */
  connect(): Promise<void>;
  /** Runs every collector at once and then on schedule. */
  start(): void;
  /** Runs collectors, all unless named, thoroughly as soon as they are free. */
  refresh(collectors?: ReadonlySet<string>): Promise<void>;
  /** What platforms asked to be left alone with, and until when. */
  pauses(): readonly PausedPart[];
  /** Runs every collector once. */
  runAll(): Promise<void>;
  nextRunOf(org: string, collector: string): Instant | undefined;
  /**
   * Makes the clients that another setup needs; rejects with a `ConfigError` where one cannot be made, and nothing
   * has changed then.
   */
  prepare(next: Setup, changes: ConfigChanges): Promise<ReadonlyMap<string, PlatformClient>>;
  /**
   * Ends what no longer runs, or runs against another address; resolves when it has ended, with what went. Called
   * once the setup is the new one.
   */
  retire(
    changes: ConfigChanges,
    prepared: ReadonlyMap<string, PlatformClient>,
  ): Promise<readonly PollingTarget[]>;
  /** Runs what is new at once, and everything by the present schedules. */
  adopt(): void;
  stop(): Promise<void>;
}

export interface PollingParts {
  readonly setup: () => Setup;
  /** Loads the clients' code when it is first needed: it need not delay the first scrape. */
  loadClients(): Promise<Clients>;
  readonly runner: Runner;
  readonly ticker: Ticker;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
}

interface Job extends PollingTarget {
  readonly retired: AbortController;
}

/** Creates the polling of a setup that may change; nothing runs before `start` or `runAll`. */
export function createPolling(parts: PollingParts): Polling {
  const { setup, runner, clock, random, log } = parts;
  const jobs = new Map<string, Job>();
  const connected = new Map<string, PlatformClient>();
  let factory: Promise<Clients> | undefined;
  takeOnJobs();
  const scheduler = createScheduler({
    jobs: scheduledJobs(),
    ticker: parts.ticker,
    clock,
    random,
    jitterMs: () => setup().config.schedules.jitterMs,
    log,
  });

  function takeOnJobs(): void {
    for (const { org, collector } of wanted()) {
      const name = `${org}/${collector.name}`;
      if (!jobs.has(name)) jobs.set(name, { org, collector: collector.name, retired: new AbortController() });
    }
  }

  function* wanted(): Generator<{ readonly org: string; readonly collector: FetchingCollector }> {
    const { orgs, fetching } = setup();
    for (const org of orgs.keys()) for (const collector of fetching) yield { org, collector };
  }

  function scheduledJobs() {
    const { schedules } = setup().config;
    return [...wanted()].map(({ org, collector }) => ({
      name: `${org}/${collector.name}`,
      schedule: schedules[collector.schedule],
      run: (mode: 'scheduled' | 'thorough') => run(org, collector, mode),
    }));
  }

  function loadClients(): Promise<Clients> {
    factory ??= parts.loadClients();
    return factory;
  }

  async function run(
    org: string,
    collector: FetchingCollector,
    mode: 'scheduled' | 'thorough',
  ): Promise<void> {
    const clients = await loadClients();
    const served = setup().orgs.get(org);
    const job = jobs.get(`${org}/${collector.name}`);
    if (served === undefined || job === undefined) return;
    let source = connected.get(org);
    if (source === undefined) {
      source = clients.create(served.config);
      connected.set(org, source);
    }
    await runner.run({ org: served.settings, source, retired: job.retired.signal }, collector, mode);
  }

  return {
    targets: () => [...jobs.values()].map(({ org, collector }) => ({ org, collector })),
    async connect() {
      const clients = await loadClients();
      for (const { config } of setup().orgs.values()) {
        if (!connected.has(config.name)) connected.set(config.name, clients.create(config));
      }
    },
    start: () => scheduler.start(),
    refresh(collectors) {
      if (collectors === undefined) return scheduler.refresh();
      const chosen = [...jobs].filter(([, { collector }]) => collectors.has(collector));
      return scheduler.refresh(new Set(chosen.map(([name]) => name)));
    },
    pauses: () =>
      [...connected].flatMap(([org, client]) => client.pauses().map((pause) => ({ org, ...pause }))),
    async runAll() {
      await Promise.all([...wanted()].map(({ org, collector }) => run(org, collector, 'scheduled')));
    },
    nextRunOf: (org, collector) => scheduler.nextRunOf(`${org}/${collector}`),
    async prepare(next, { added, moved }) {
      const clients = await loadClients();
      const prepared = new Map<string, PlatformClient>();
      try {
        for (const name of [...added, ...moved]) {
          const org = next.orgs.get(name);
          if (org !== undefined) prepared.set(name, clients.create(org.config));
        }
      } catch (error) {
        for (const client of prepared.values()) client.close();
        throw error;
      }
      return prepared;
    },
    async retire({ removed, moved }, prepared) {
      const names = new Set(scheduledJobs().map(({ name }) => name));
      const going = [...jobs].filter(([name, { org }]) => !names.has(name) || moved.includes(org));
      for (const [name, { retired }] of going) {
        jobs.delete(name);
        retired.abort();
      }
      for (const org of [...removed, ...moved]) {
        connected.get(org)?.close();
        connected.delete(org);
      }
      for (const [org, client] of prepared) connected.set(org, client);
      await scheduler.retire(going.map(([name]) => name));
      return going.filter(([name]) => !names.has(name)).map(([, { org, collector }]) => ({ org, collector }));
    },
    adopt() {
      takeOnJobs();
      scheduler.adopt(scheduledJobs());
    },
    async stop() {
      const clients = await factory?.catch(() => undefined);
      for (const client of connected.values()) client.close();
      await scheduler.stop();
      await clients?.close();
    },
  };
}
