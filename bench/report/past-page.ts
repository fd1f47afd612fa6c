import type { BenchOptions } from '../options.ts';
import type { FileBackfillResult } from '../sections/backfill-files.ts';
import type { RemoteBackfillResult } from '../sections/backfill-remote.ts';
import type { FirstSyncResult } from '../sections/first-sync.ts';
import { median } from './statistics.ts';
import { grouped, mebibytes, renderTable, shown, shownSpread } from './table.ts';

export interface BackfillReport {
  readonly files: readonly FileBackfillResult[];
  readonly remote: readonly RemoteBackfillResult[];
}

/** The page's section on backfills to files and by remote write. */
export function renderBackfillPage({ files, remote }: BackfillReport, { backfills }: BenchOptions): string {
  return `## Backfill to files

From parsed rows in the history to OpenMetrics files, one per month, synced to disk. Each backfill runs in its own process,
and the store covers the same days for short and long ranges; medians of ${backfills} rounds. "Writing the bytes alone" writes the
same bytes to one file in chunks of 1 MiB and syncs it. Peaks are those of the operating system and include the store. With few
series per day, the fixed cost of each day has more weight.

${renderFiles(files)}

## Backfill by remote write

From parsed rows in the history to the last acknowledgement of ${remote[0]?.receiver ?? 'no receiver'} on the same machine, with up to
four concurrent requests of 25 000 samples; medians of ${backfills} rounds. It is compared in the same round with sending the same
requests, encoded and compressed in advance, to another empty receiver, four at a time. The backfill keeps the samples of a
series in order; the replayed requests may overtake each other, which the receiver's out-of-order window allows. Meanwhile
Prometheus compacts past days into blocks on the same cores: the longer the sending takes, the more of them.

Where both share the cores of the machine, replaying leaves the receiver nearly all of them, and the backfill takes what it needs
from it: the ratio compares their CPU. *With a core each*, as on two machines, it says whether the backfill keeps up with its
receiver. A short one pays as much as a long one for the compilation of its code by V8.

${renderRemote(remote)}`;
}

/** The page's section on the first sync. */
export function renderSyncPage(sync: FirstSyncResult, { syncs }: BenchOptions): string {
  return `## First sync

The installed command \`once\` which needs no store, against the simulated platform in a separate process: one
organization of 40 people and 12 repositories, the default collectors, and a limit of 1 000 requests per second. From the
start of the process to its end; medians of ${syncs} rounds. The platform's CPU seconds are those in which it created its
answers.

${renderSync(sync)}`;
}

function renderFiles(results: readonly FileBackfillResult[]): string {
  const rows = results.map(
    ({ series, days, samples, bytes, seconds, cpuSeconds, perSecond, ratio, peaks }) => [
      grouped(series),
      grouped(days),
      grouped(samples),
      mebibytes(bytes),
      shown(seconds),
      shown(cpuSeconds),
      shownSpread(perSecond),
      `${shownSpread(ratio)} ×`,
      mebibytes(median(peaks)),
    ],
  );
  const heads = [
    ...['report series per day', 'days', 'samples', 'MiB written', 'seconds', 'CPU s', 'samples/s'],
    ...['time against writing the bytes alone', 'peak MiB'],
  ];
  return renderTable(heads, rows);
}

function renderRemote(results: readonly RemoteBackfillResult[]): string {
  const rows = results.map(
    ({ series, days, samples, seconds, cpuSeconds, perSecond, ratio, apart, peak }) => [
      grouped(series),
      grouped(days),
      grouped(samples),
      shown(seconds),
      shown(cpuSeconds),
      shownSpread(perSecond),
      `${shownSpread(ratio)} ×`,
      apart === undefined ? '' : `${shownSpread(apart)} ×`,
      mebibytes(peak),
    ],
  );
  const heads = [
    ...['report series per day', 'days', 'samples', 'seconds', 'CPU s', 'samples/s'],
    ...['samples/s against the requests alone', 'with a core each', 'peak MiB'],
  ];
  return renderTable(heads, rows);
}

function renderSync({
  days,
  requests,
  seconds,
  cpuSeconds,
  platformCpuSeconds,
  peak,
}: FirstSyncResult): string {
  const heads = ['days', 'requests', 'seconds', 'CPU s of the exporter', 'CPU s of the platform', 'peak MiB'];
  const row = [days, requests].map(grouped);
  return renderTable(heads, [
    [...row, shownSpread(seconds), shownSpread(cpuSeconds), shown(platformCpuSeconds), mebibytes(peak)],
  ]);
}
