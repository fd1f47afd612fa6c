import { addAbortListener } from 'node:events';
import {
  type Collector,
  type FetchingCollector,
  filledOn,
  isDayCollector,
  isFetching,
} from '../catalog/collector.ts';
import { type Day, earlier, firstOfMonth } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import { collectors as allCollectors } from '../collectors/index.ts';
import type { Config } from '../config/config.ts';
import { Instruments } from '../exposition/instruments.ts';
import type { RunnerParts } from '../pipeline/run.ts';
import { createRunStates } from '../pipeline/run-states.ts';
import { Runner } from '../pipeline/runner.ts';
import { createOrgClient } from './clients.ts';
import { jobName } from './job.ts';
import { orgSettings } from './org.ts';
import { Traffic, trafficSettings } from './traffic.ts';

interface FetchParts extends Pick<RunnerParts, 'history' | 'progress' | 'clock' | 'log'> {
  readonly config: Config;
  readonly version: string;
  /** Aborts the requests in flight. */
  readonly stopping: AbortSignal;
}

/** The longest pause that is waited for: a running exporter or another client has used up the rate of this minute. */
const LONGEST_PAUSE_MS = 60_000;

/** Requests are held some milliseconds longer than the error says, which is made first. */
const HELD_LONGER_MS = 100;

/**
 * Fetches the days that the store lacks, for these collectors and the collectors from which they are derived, as the live service
 * does. Fetches expensive datasets from `from` on. Resolves with the names of failed collectors, as `org/collector`; the days that
 * they did get are stored.
 */
export async function fetchPast(
  parts: FetchParts,
  named: readonly Collector[],
  from: Day,
): Promise<readonly string[]> {
  const { config, history, version, clock, stopping } = parts;
  const wanted = named.map((one) => ('derivesFrom' in one ? one.derivesFrom : one.name));
  const collectors = allCollectors
    .filter(({ name }) => wanted.includes(name))
    .map((collector) => named.find(({ name }) => name === collector.name) ?? collector)
    .filter(isFetching);
  const dayDatasets = collectors.filter(isDayCollector).map(({ dataset }) => dataset.name);
  const traffic = new Traffic({ history, clock, log: parts.log }, trafficSettings(config, dayDatasets));
  const instruments = new Instruments({ version, revision: '', clock, processMetrics: false });
  const clientParts = { ...parts, traffic, instruments, random: Math.random };
  const people = config.people.current();
  const targets = config.orgs.map((org) => ({
    org: orgSettings(org, config, people),
    platform: org.platform,
    source: createOrgClient(org, config.api, clientParts),
  }));
  const settings = targets.map(({ org }) => org);
  const runs = createRunStates();
  const runner = new Runner({
    ...parts,
    historyStart: config.history.start,
    revisionDays: config.history.revisionWindow,
    expensiveFrom: firstExpensiveDayFor(from, settings),
    // No page: a command is not scraped.
    publisher: { publish: async () => undefined, showsIdle: () => false },
    runs,
    instruments,
  });
  function close(): void {
    for (const { source } of targets) source.close();
  }
  /** Runs a collector, and again after each short pause that its platform asks for, as long as that brings more days. */
  async function isFetched(target: (typeof targets)[number], collector: FetchingCollector): Promise<boolean> {
    for (let known = -1; ; ) {
      await runner.run(target, collector, 'scheduled');
      const { failure } = runs.get(target.org.name, collector.name);
      const { reason, retryAt = Number.POSITIVE_INFINITY } = failure?.error ?? {};
      const pauseMs = retryAt - clock.now();
      const isShort = reason === 'throttled' && pauseMs <= LONGEST_PAUSE_MS;
      if (!isShort) return failure === undefined;
      const { days } = await history.readDataset(target.org.name, collector.dataset.name);
      const count = [...days.keys()].length;
      if (count <= known) return false;
      known = count;
      await clock.wait(Math.max(0, pauseMs) + HELD_LONGER_MS, stopping).catch(() => undefined);
    }
  }
  const listening = addAbortListener(stopping, close);
  try {
    const running = targets.flatMap((target) =>
      filledOn(collectors, target.org).map(async (collector) =>
        (await isFetched(target, collector)) ? [] : [jobName(target.org.name, collector.name)],
      ),
    );
    return (await Promise.all(running)).flat();
  } finally {
    listening[Symbol.dispose]();
    close();
    await traffic.close();
  }
}

/**
 * The first day of expensive datasets to fetch, so that all days from `from` on can be computed. With team budgets, that is the
 * first day of the month, because a team's month to date needs all of its days.
 */
export function firstExpensiveDayFor(from: Day, orgs: readonly OrgSettings[]): Day {
  const hasBudgets = orgs.some(({ people }) => people !== undefined && people.teamBudgets.size > 0);
  const firsts = orgs.map(({ contract }) => firstOfMonth(from, contract?.periodStarts));
  return hasBudgets ? [from, ...firsts].reduce(earlier) : from;
}
