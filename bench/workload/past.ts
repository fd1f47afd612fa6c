import type { BackfillParts } from '../../src/backfill/backfill.ts';
import { isDayCollector } from '../../src/catalog/collector.ts';
import { addDays, dayOf } from '../../src/catalog/day.ts';
import { aboutFamilies, collectors } from '../../src/collectors/index.ts';
import { createMemoryHistory } from '../../src/history/memory.ts';
import { createSystemClock } from '../../src/runtime/clock.ts';
import { DAYS, putAnalytics } from './days.ts';
import { putReports } from './reports.ts';
import { ORG, SETTINGS } from './settings.ts';

/** The labels of the live target. */
export const LABELS = { job: 'agent-platform', instance: 'exporter:9889' };

const DAY_MS = 86_400_000;
/** Minimum number of days in the store. */
const LONGEST = 1500;

/** Days to backfill, and the approximate number of report series of each, in addition to 320 daily ones. */
export interface PastSize {
  readonly series: number;
  readonly days: number;
}

/** Fills a store, and returns the dependencies of a backfill of its newest days, except for a target. */
export async function createPast({ series, days }: PastSize): Promise<Omit<BackfillParts, 'target'>> {
  const clock = createSystemClock();
  const now = clock.now();
  const history = createMemoryHistory();
  // The store has the same length for short and long ranges, so that only the backfill's own memory differs.
  for (let back = 0; back <= LONGEST + DAYS; back += DAYS)
    await putAnalytics(history, ORG, now - back * DAY_MS);
  // All reports are older than the first day: every day has all of their series.
  await putReports(history, ORG, series, now - (LONGEST + 30) * DAY_MS);
  const chosen = collectors.filter((collector) => collector.enabledByDefault && !('past' in collector));
  const to = addDays(dayOf(now), -3);
  return {
    pages: {
      aboutFamilies,
      datasets: chosen.filter(isDayCollector).map(({ dataset }) => dataset),
      bounds: { historyStart: addDays(to, -LONGEST - 60) },
      labelLimit: (label) => (label === 'repo' ? 5000 : 200),
      seriesBudget: 1_000_000,
      knownAt: now,
      clock,
    },
    orgs: [{ settings: SETTINGS, history: await history.read(ORG) }],
    collectors: chosen,
    from: addDays(to, 1 - days),
    to,
    stepMs: undefined,
    now,
    progress: { show: () => undefined, clear: () => undefined },
    signal: new AbortController().signal,
  };
}
