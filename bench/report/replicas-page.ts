import type { ReplicasResult } from '../sections/replicas.ts';
import { grouped, mebibytes, renderTable, shown } from './table.ts';

/** The page's section on replicas. */
export function renderReplicasPage(results: readonly ReplicasResult[] | undefined): string {
  if (results === undefined) return '## Replicas\n\nNot measured: PostgreSQL is not installed.';
  const rows = results.map(({ store, processes, firstSync, round, restart, resident, delays }) => [
    `${store}, ${processes} ${processes === 1 ? 'process' : 'processes'}`,
    ...[shown(firstSync.seconds), shown(firstSync.cpuSeconds), shown(firstSync.databaseSeconds)],
    ...[shown(round.seconds), shown(round.cpuSeconds), shown(round.databaseSeconds)],
    shown(restart.seconds),
    shown(Math.max(firstSync.slowest, round.slowest)),
    mebibytes(resident),
    delays === undefined ? '' : `${shown(delays.median)} (${shown(delays.longest)})`,
  ]);
  const heads = [
    ...['', 'first sync s', 'CPU s', 'database CPU s', 'round s', 'CPU s', 'database CPU s', 'restart s'],
    ...['slowest answer ms', 'resident MiB', 'event on other pages ms'],
  ];
  const [first] = results;
  return `## Replicas

${grouped(first?.organizations ?? 0)} organizations of ${first?.days} days, as in the section on organizations, on a file and on a PostgreSQL server
with its default settings, which shares the machine. *First sync*: from the start on an empty store until every process has the
whole page. *Round*: everything once more. *Restart*: one process, from its start until it has the whole page. CPU is the sum of
the processes, resident memory and the slowest answer those of the worst process. The last column is the time from the answer
to a hook event until it is on the pages of the other processes: median (longest) of five.

${renderTable(heads, rows)}`;
}
