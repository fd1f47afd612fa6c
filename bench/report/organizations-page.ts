import type { OrganizationsResult, Phase } from '../sections/organizations.ts';
import { type Aim, below } from './aims.ts';
import { type Line, renderLineChart } from './line-chart.ts';
import { grouped, mebibytes, renderTable, shown } from './table.ts';

/** Where the picture is written, relative to the page. */
export const ORGANIZATIONS_PICTURE = 'images/cost-by-organizations.svg';

/** The page's section on many organizations. */
export function renderOrganizationsPage(results: readonly OrganizationsResult[]): string {
  const costs = results.map(({ organizations, series, firstSync, round, restart, stopSeconds }) => [
    grouped(organizations),
    grouped(series),
    ...[firstSync, round, restart].flatMap(({ seconds, cpuSeconds }) => [shown(seconds), shown(cpuSeconds)]),
    shown(stopSeconds),
  ]);
  const answers = results.map(({ organizations, firstSync, round, restart }) => [
    grouped(organizations),
    ...[firstSync, round, restart].flatMap(({ p99, slowest }) => [shown(p99), shown(slowest)]),
  ]);
  const sizes = results.map(({ organizations, resident, peak, compressed, gzip }) => [
    grouped(organizations),
    mebibytes(resident),
    mebibytes(peak),
    grouped(compressed / 1024),
    `${shown(compressed / gzip)} ×`,
  ]);
  return `## Organizations

The installed command \`serve\` with all seven collectors, ${results[0]?.days} days, and organizations of five people and two repositories, so
that their number is measured and not their size. The simulated platform is a separate process on the same machine, answers
after 5 ms at the earliest, and takes its share of the two cores. *First sync*: from the start on an empty store until every
collector of every organization has succeeded. *Round*: everything once more. *Restart*: from the start until the page has
every organization again. Meanwhile \`/metrics\` and \`/-/healthy\` are requested every 50 ms; before the start has
finished, connections are refused and not counted.

![CPU seconds against organizations](${ORGANIZATIONS_PICTURE})

${renderTable(
  [
    ...['organizations', 'series', 'first sync s', 'CPU s', 'round s', 'CPU s', 'restart s', 'CPU s'],
    'SIGTERM to exit s',
  ],
  costs,
)}

Answers, in milliseconds:

${renderTable(
  [...['organizations', 'first sync p99', 'slowest', 'round p99', 'slowest'], ...['restart p99', 'slowest']],
  answers,
)}

${renderTable(['organizations', 'resident MiB', 'peak MiB', 'compressed KiB', 'against gzip -6'], sizes)}`;
}

/** The targets for the largest number of organizations. */
export function organizationsAims(results: readonly OrganizationsResult[]): readonly Aim[] {
  const last = results.at(-1);
  if (last === undefined) return [];
  const { organizations, days, firstSync, round, restart, peak, compressed, gzip } = last;
  const at = `with ${grouped(organizations)} organizations × ${days} days`;
  const slowest = Math.max(...results.flatMap((result) => [result.firstSync.slowest, result.round.slowest]));
  const before = results.find((result) => result.organizations * 10 === organizations);
  return [
    below(`first sync ${at}`, 60, firstSync.seconds, 's'),
    below(`restart ${at}`, 10, restart.seconds, 's'),
    below('slowest answer with any number of organizations', 500, slowest, 'ms'),
    below(`peak of resident memory ${at}`, 700, peak / 2 ** 20, 'MiB'),
    below(`compressed page ${at}, against gzip -6`, 1.1, compressed / gzip, '×'),
    ...(before === undefined
      ? []
      : [
          below(
            `CPU of a round per organization ${at}, against a tenth of them`,
            1.2,
            growth(last, before),
            '×',
          ),
        ]),
  ];

  function growth(large: OrganizationsResult, small: OrganizationsResult): number {
    return round.cpuSeconds / large.organizations / (small.round.cpuSeconds / small.organizations);
  }
}

/** CPU seconds against the number of organizations, as an SVG document. */
export function drawOrganizations(results: readonly OrganizationsResult[]): string {
  const line = (name: string, phase: (result: OrganizationsResult) => Phase): Line => ({
    name,
    points: results.map((result) => ({ x: result.organizations, y: phase(result).cpuSeconds })),
  });
  return renderLineChart('CPU of the exporter by number of organizations', 'organizations', 'CPU seconds', [
    line('first sync', ({ firstSync }) => firstSync),
    line('round', ({ round }) => round),
    line('restart', ({ restart }) => restart),
  ]);
}
