import { type DayDataset, hasActivity, idleRowOf } from '../catalog/dataset.ts';
import type { Revision } from '../store/store.ts';
import type { Watched, Watcher } from './run.ts';

/** Counts and logs the known days that an answer has changed. A day that was published as idle counts, too. */
export function watchRevisions({ org, collector: { name, dataset }, deps }: Watched): Watcher {
  if (dataset.kind !== 'days') return {};
  return {
    stored({ rows }, stored) {
      const revisions = [...stored.revisions];
      for (const [day, after] of rows) {
        if (deps.publisher.showsIdle(org.name, name, day) && hasActivity(dataset, after) !== false)
          revisions.push({ day, before: idleRowOf(dataset, org), after });
      }
      if (revisions.length === 0) return;
      const who = { org: org.name, dataset: dataset.name };
      deps.instruments.dayRevisions({ ...who, count: revisions.length });
      deps.log.info('Known days revised by the platform', {
        ...who,
        ...describeRevisions(dataset, revisions),
      });
    },
  };
}

/** Describes revised days for the log: each day with its main number before and after, if it has one. */
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
