import type { BenchOptions } from '../options.ts';
import type { FileBackfillResult } from '../sections/backfill-files.ts';
import type { RemoteBackfillResult } from '../sections/backfill-remote.ts';
import type { FirstSyncResult } from '../sections/first-sync.ts';
import type { BackfillReport } from './page.ts';
import { grouped, mebibytes, renderTable, shown } from './table.ts';

/** Backfills, to files and by remote write. */
export function renderBackfillPage({ files, remote }: BackfillReport, { backfills }: BenchOptions): string {
  return `## Backfill to files

From parsed rows in the history to OpenMetrics files, one a month, synced to disk. Each backfill is a process of its own,
over a store that is as long for a short range as for a long one; medians of ${backfills} rounds. The bytes alone are those of
the same files, written to one other file in pieces of 1 MiB and synced. Peaks are the operating system's, with the store.
Where a day has few series, what is done once a day and not for each sample counts for more.

${renderFiles(files)}

## Backfill by remote write

From parsed rows in the history to the last acknowledgement of ${remote[0]?.receiver ?? 'nobody'} on the same machine, with up to four
requests of 5 000 samples under way; medians of ${backfills} rounds. Against it, in the same round: the same requests, encoded and
compressed before, sent to another receiver that is as empty, four at a time. The backfill keeps the samples of a series in
order; the requests by themselves may overtake each other, which the receiver's window for samples out of order allows. Prometheus makes blocks of the days that lie behind
meanwhile, on the same cores: of more of them the longer the sending takes.

${renderRemote(remote)}`;
}

/** The first sync. */
export function renderSyncPage(sync: FirstSyncResult, { syncs }: BenchOptions): string {
  return `## First sync

\`once\` as it is installed, with an empty store in a file, against the simulated platform in a process of its own: one
organization of 40 people and 12 repositories, the collectors that run where none is configured, the limit of requests
lifted to 1 000 per second. From the start of the process to its end; medians of ${syncs} rounds. The platform's CPU
seconds are those it made its answers in.

${renderSync(sync)}`;
}

function renderFiles(results: readonly FileBackfillResult[]): string {
  const rows = results.map(({ series, days, samples, bytes, seconds, perSecond, ratio, peak }) => [
    grouped(series),
    grouped(days),
    grouped(samples),
    mebibytes(bytes),
    shown(seconds),
    grouped(perSecond),
    `${shown(ratio)} ×`,
    mebibytes(peak),
  ]);
  const heads = [
    ...['series of reports a day', 'days', 'samples', 'MiB written', 'seconds', 'samples/s'],
    ...['time against writing the bytes alone', 'peak MiB'],
  ];
  return renderTable(heads, rows);
}

function renderRemote(results: readonly RemoteBackfillResult[]): string {
  const rows = results.map(({ series, days, samples, seconds, perSecond, ratio, peak }) => [
    grouped(series),
    grouped(days),
    grouped(samples),
    shown(seconds),
    grouped(perSecond),
    `${shown(ratio)} ×`,
    mebibytes(peak),
  ]);
  const heads = [
    ...['series of reports a day', 'days', 'samples', 'seconds', 'samples/s'],
    ...['samples/s against the requests alone', 'peak MiB'],
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
    [...row, shown(seconds), shown(cpuSeconds), shown(platformCpuSeconds), mebibytes(peak)],
  ]);
}
