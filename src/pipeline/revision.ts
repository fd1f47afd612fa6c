import type { DayDataset } from '../catalog/dataset.ts';
import { type Day, daysBetween } from '../catalog/day.ts';
import type { Revision } from '../history/history.ts';

/** How many missed passes are made up for at most. */
const MAX_MISSED = 30;

/**
 * How many of the newest days are asked for again: the window, and more where days have left it since the last
 * pass without having been asked for again; at least one.
 */
export function daysAgain(windowDays: number, lastPass: Day | undefined, today: Day): number {
  if (windowDays === 0) return 1;
  const missed = lastPass === undefined ? 0 : daysBetween(lastPass, today) - 1;
  return windowDays + Math.min(Math.max(0, missed), MAX_MISSED);
}

/** What revised days have changed, in one text: each with its main number before and after, where there is one. */
export function describeRevisions(
  dataset: DayDataset<unknown>,
  revisions: readonly Revision[],
): { readonly days: string; readonly totals: string | undefined } {
  const totals = revisions.flatMap(({ day, before, after }) => {
    const [old, now] = [dataset.total?.(before), dataset.total?.(after)];
    return old === undefined && now === undefined ? [] : [`${day}: ${old ?? 'none'} -> ${now ?? 'none'}`];
  });
  return {
    days: revisions.map(({ day }) => day).join(' '),
    totals: totals.length === 0 ? undefined : totals.join(', '),
  };
}
