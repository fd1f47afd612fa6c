import type { UsersResult } from '../sections/users.ts';
import { type Aim, below } from './aims.ts';
import { grouped, mebibytes, renderTable, shown, shownSpread } from './table.ts';

/** The page's section on the people of a large organization. */
export function renderUsersPage(results: readonly UsersResult[]): string {
  const [first] = results;
  const rows = results.map(({ identity, seconds, cpuSeconds, peak, readSeconds, ratio }) => [
    identity,
    shown(seconds),
    shown(cpuSeconds),
    mebibytes(peak),
    shown(readSeconds * 1000),
    `${shownSpread(ratio)} ×`,
  ]);
  const heads = [
    ...['identity', 'seconds', 'CPU s', 'peak MiB'],
    ...['CPU ms per 1 000 people of a day', 'against parsing the same JSON'],
  ];
  return `## People

The installed command \`once\` with the users collector only, against the simulated platform in a separate process, with a
limit of 1 000 requests per second. It reads the three newest days, of which yesterday has ${grouped(first?.people ?? 0)} people on
${grouped(first?.pages ?? 0)} pages. In another process: the CPU time to read one day from bodies in memory (parse, validate, sum by
team and, if people are identified, keep each), compared with \`JSON.parse\` alone on the same bodies; the minimum of
five readings each, so that hashes are already cached.

${renderTable(heads, rows)}`;
}

/** The targets for reading people. */
export function usersAims(results: readonly UsersResult[]): readonly Aim[] {
  return results.map(({ identity, ratio }) =>
    below(`CPU to read people with identity ${identity}, against parsing the same JSON`, 8, ratio, '×'),
  );
}
