import type { FileBackfillResult } from '../sections/backfill-files.ts';
import type { RemoteBackfillResult } from '../sections/backfill-remote.ts';
import type { FirstSyncResult } from '../sections/first-sync.ts';
import { type Aim, atLeast, below } from './aims.ts';
import { grouped } from './table.ts';

/** The targets for backfills to files: the speed of the one with most series, and the memory of the longest one. */
export function fileAims(results: readonly FileBackfillResult[]): readonly Aim[] {
  const most = results.toSorted((a, b) => b.series - a.series)[0];
  const [longest, shorter] = results
    .filter(({ series }) => series === results[0]?.series)
    .toSorted((a, b) => b.days - a.days);
  if (most === undefined) return [];
  const what = `backfill to files at ${grouped(most.series)} series per day, ${most.days} days`;
  const aims = [atLeast(what, 1_000_000, most.perSecond, 'samples/s')];
  if (longest === undefined || shorter === undefined) return aims;
  const at = `at ${grouped(longest.series)} series per day`;
  const growth = `peak of resident memory ${at}, ${grouped(longest.days)} days against ${shorter.days} days`;
  return [...aims, below(growth, 1.5, longest.peak / shorter.peak, '×')];
}

/** The targets for backfills by remote write. */
export function remoteAims(results: readonly RemoteBackfillResult[]): readonly Aim[] {
  return results.map(({ series, days, ratio }) => {
    const what = `backfill by remote write at ${grouped(series)} series per day, ${days} days, against replaying its requests`;
    return atLeast(what, 0.8, ratio);
  });
}

/** The targets for the first sync. */
export function syncAims({ days, seconds, cpuSeconds }: FirstSyncResult): readonly Aim[] {
  return [
    below(`first sync of ${days} days`, 30, seconds, 's'),
    below('CPU of the exporter in it', 5, cpuSeconds, 's'),
  ];
}
