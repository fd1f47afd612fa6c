import type { FileBackfillResult } from '../sections/backfill-files.ts';
import type { RemoteBackfillResult } from '../sections/backfill-remote.ts';
import type { FirstSyncResult } from '../sections/first-sync.ts';
import { type Aim, atLeast, below } from './aims.ts';
import { ratiosOf } from './statistics.ts';
import { grouped } from './table.ts';

/**
 * The targets for backfills to files: the speed of the longest one of each number of series, and the memory of the
 * longest one.
 */
export function fileAims(results: readonly FileBackfillResult[]): readonly Aim[] {
  const bySeries = [...Map.groupBy(results, ({ series }) => series).values()].map((ofSeries) =>
    ofSeries.toSorted((a, b) => b.days - a.days),
  );
  const aims = bySeries.flatMap(([of]) => {
    if (of === undefined) return [];
    const what = `backfill to files at ${grouped(of.series)} series per day, ${grouped(of.days)} days`;
    return [atLeast(what, 300_000, of.perSecond, 'samples/s')];
  });
  const [longest, shorter] = bySeries[0] ?? [];
  if (longest === undefined || shorter === undefined) return aims;
  const at = `at ${grouped(longest.series)} series per day`;
  const growth = `peak of resident memory ${at}, ${grouped(longest.days)} days against ${shorter.days} days`;
  return [...aims, below(growth, 1.5, ratiosOf(longest.peaks, shorter.peaks), '×')];
}

/** The targets for backfills by remote write. */
export function remoteAims(results: readonly RemoteBackfillResult[]): readonly Aim[] {
  return results.map(({ series, days, perSecond }) => {
    const what = `backfill by remote write at ${grouped(series)} series per day, ${grouped(days)} days`;
    return atLeast(what, 200_000, perSecond, 'samples/s');
  });
}

/** The targets for the first sync. */
export function syncAims({ days, seconds, cpuSeconds }: FirstSyncResult): readonly Aim[] {
  return [
    below(`first sync of ${days} days`, 30, seconds, 's'),
    below('CPU of the exporter in it', 5, cpuSeconds, 's'),
  ];
}
