import type { UsersResult } from '../sections/users.ts';
import { type Aim, below } from './aims.ts';
import { grouped, mebibytes, renderTable, shown } from './table.ts';

/** The people of a large organization. */
export function renderUsersPage(results: readonly UsersResult[]): string {
  const [first] = results;
  const rows = results.map(({ identity, seconds, cpuSeconds, peak, readSeconds, ratio }) => [
    identity,
    shown(seconds),
    shown(cpuSeconds),
    mebibytes(peak),
    shown(readSeconds * 1000),
    `${shown(ratio)} ×`,
  ]);
  const heads = [
    ...['identity', 'seconds', 'CPU s', 'peak MiB'],
    ...['CPU ms per 1 000 people of a day', 'against parsing the same JSON'],
  ];
  return `## People

\`once\` as it is installed, with the users collector alone, against the simulated platform in a process of its own, the
limit of requests lifted to 1 000 per second: it reads the three newest days, of which yesterday has ${grouped(first?.people ?? 0)} people on
${grouped(first?.pages ?? 0)} pages. Beside it, in a process of its own: the CPU time to read one day from bodies in memory (parse, check, sum
up by team and, where people are told apart, keep each), against that of \`JSON.parse\` alone on the same bodies; the least
of five readings of each, so that hashes are those that the exporter has made before.

${renderTable(heads, rows)}`;
}

/** The aims of reading people. */
export function usersAims(results: readonly UsersResult[]): readonly Aim[] {
  return results.map(({ identity, ratio }) =>
    below(`CPU to read people with identity ${identity}, against parsing the same JSON`, 4, ratio, '×'),
  );
}
