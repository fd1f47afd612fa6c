import { createOrgClient } from '../app/clients.ts';
import { createTraffic, trafficSettings } from '../app/traffic.ts';
import { createSilentPublisher, fetchMissing, firstExpensiveDayFor } from '../backfill/fetch.ts';
import { type Collector, isDayCollector } from '../catalog/collector.ts';
import type { Day } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { Config } from '../config/config.ts';
import { createInstruments } from '../exposition/instruments.ts';
import { createRunStates } from '../pipeline/run-states.ts';
import { createRunner } from '../pipeline/runner.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Progress } from '../runtime/progress.ts';
import type { Store } from '../store/store.ts';

interface FetchParts {
  readonly config: Config;
  readonly orgs: readonly OrgSettings[];
  /** The first day to fetch of expensive datasets; of the others all days are fetched. */
  readonly from: Day;
  readonly collectors: readonly Collector[];
  readonly history: Store;
  readonly version: string;
  readonly progress: Progress;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Fetches what the history lacks; resolves with the names of the collectors that failed. */
export async function fetchAll(parts: FetchParts): Promise<readonly string[]> {
  const { config, history, version, clock, log, signal } = parts;
  const instruments = createInstruments({ version, revision: '', clock, processMetrics: false });
  const runs = createRunStates();
  const stopping = new AbortController();
  const runner = createRunner({
    history,
    historyStart: config.history.start,
    revisionDays: config.history.revisionWindowDays,
    expensiveFrom: firstExpensiveDayFor(parts.from, parts.orgs),
    publisher: createSilentPublisher(),
    stopping: stopping.signal,
    runs,
    instruments,
    progress: parts.progress,
    clock,
    log,
  });
  const dayDatasets = parts.collectors.filter(isDayCollector).map(({ dataset }) => dataset.name);
  const traffic = createTraffic({ history, clock }, trafficSettings(config, dayDatasets));
  const shared = { traffic, version, instruments, clock, random: Math.random, log };
  const byOrg = new Map(config.orgs.map((org) => [org.name, createOrgClient(org, config.api, shared)]));
  function stop(): void {
    stopping.abort();
    for (const client of byOrg.values()) client.close();
  }
  signal.addEventListener('abort', stop, { once: true });
  // Stopped while the history was read.
  if (signal.aborted) stop();
  try {
    const targets = parts.orgs.flatMap((org) => {
      const source = byOrg.get(org.name);
      return source === undefined ? [] : [{ org, source }];
    });
    return await fetchMissing(targets, parts.collectors, runner, runs);
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
    await traffic.close();
  }
}
