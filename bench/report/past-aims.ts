import type { FileBackfillResult } from '../sections/backfill-files.ts';
import type { RemoteBackfillResult } from '../sections/backfill-remote.ts';
import type { FirstSyncResult } from '../sections/first-sync.ts';
import { type Aim, atLeast, below } from './aims.ts';
import { grouped } from './table.ts';

/** The aims of backfills to files: those of the largest one. */
export function fileAims(results: readonly FileBackfillResult[]): readonly Aim[] {
  const largest = results.at(-1);
  if (largest === undefined) return [];
  const { series, days, peak, perSecond } = largest;
  const at = `at ${grouped(series)} series a day`;
  const aims = [atLeast(`backfill to files ${at}, ${days} days`, 1_000_000, perSecond, 'samples/s')];
  const short = results.find((result) => result.series === series && result.days < days);
  if (short === undefined) return aims;
  const what = `its peak of resident memory against that of ${short.days} days`;
  return [...aims, below(what, 1.5, peak / short.peak, '×')];
}

/** The aims of backfills by remote write. */
export function remoteAims(results: readonly RemoteBackfillResult[]): readonly Aim[] {
  return results.map(({ series, days, ratio }) => {
    const what = `backfill by remote write at ${grouped(series)} series a day, ${days} days, against replaying its requests`;
    return atLeast(what, 0.8, ratio);
  });
}

/** The aims of the first sync. */
export function syncAims({ days, seconds, cpuSeconds }: FirstSyncResult): readonly Aim[] {
  return [
    below(`first sync of ${days} days`, 30, seconds, 's'),
    below('CPU of the exporter in it', 5, cpuSeconds, 's'),
  ];
}
