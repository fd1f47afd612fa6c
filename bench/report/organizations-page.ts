import { LINE, type OrganizationsResult } from '../sections/organizations.ts';
import type { Phase } from '../sections/program.ts';
import { type Aim, below } from './aims.ts';
import { type Line, renderLineChart } from './line-chart.ts';
import { spreadOf } from './statistics.ts';
import { grouped, mebibytes, renderTable, shown } from './table.ts';

/** Where the picture is written, relative to the page. */
export const ORGANIZATIONS_PICTURE = 'images/cost-by-organizations.svg';

/** The page's section on many organizations. */
export function renderOrganizationsPage(results: readonly OrganizationsResult[]): string {
  const named = ({ organizations, days }: OrganizationsResult) => `${grouped(organizations)} × ${days}`;
  const costs = results.map((result) => [
    named(result),
    grouped(result.series),
    ...phasesOf(result).flatMap(({ seconds, cpuSeconds }) => [shown(seconds), shown(cpuSeconds)]),
    ...[shown(result.restart.fullSeconds), shown(result.stopSeconds)],
  ]);
  const answers = results.map((result) => [
    named(result),
    ...phasesOf(result).flatMap(({ p99, slowest }) => [shown(p99), shown(slowest)]),
  ]);
  const stalls = results.map((result) => [
    named(result),
    ...phasesOf(result).flatMap(({ stalls: { p999, longest, ran } }) => [
      shown(p999),
      shown(longest),
      shown(ran),
    ]),
  ]);
  const sizes = results.map((result) => [
    named(result),
    mebibytes(result.resident),
    mebibytes(result.peak),
    grouped(result.compressed / 1024),
    `${shown(result.compressed / result.gzip)} ×`,
  ]);
  return `## Organizations

The installed command \`serve\` with all seven collectors and organizations of five people and two repositories, so that their
number is measured and not their size; *100 × 15* are a hundred of them with 15 days. The simulated platform is a separate
process on the same machine, answers after 5 ms at the earliest, and takes its share of the two cores. *First sync*: from the
start on an empty store until every collector of every organization has succeeded. *Round*: everything once more, after a rest
of fifteen seconds. *Restart*: from the start on what is stored until every collector
has succeeded again. *Full page*: until the page had every organization again. Seconds and CPU are those until the page was complete. Answers and stalls are observed for at least
ten seconds from the first answer; those of a round include the rest before it. Sizes whose CPU is compared take turns
(rounds: ${Math.max(...results.map(({ runs }) => runs.length))}): their figures are the medians; of slowest answers, longest stalls and peaks, the largest.

![CPU seconds against organizations](${ORGANIZATIONS_PICTURE})

${renderTable(
  [
    ...['organizations × days', 'series', 'first sync s', 'CPU s', 'round s', 'CPU s', 'restart s', 'CPU s'],
    ...['full page s', 'SIGTERM to exit s'],
  ],
  costs,
)}

Answers, in milliseconds: \`/metrics\` and \`/-/healthy\` are requested every 50 ms by a process of its own, from the first accepted
connection on; before, connections are refused and not counted.

${renderTable(
  [
    ...['organizations × days', 'first sync p99', 'slowest', 'round p99', 'slowest'],
    ...['restart p99', 'slowest'],
  ],
  answers,
)}

Stalls of the event loop since the first answer, in milliseconds: the 99.9th percentile of its turns of 5 ms or more, and the
longest one. They contain the time for which the program waited for a core, beside the platform, the load client and the
helper threads of V8. *Ran*: the CPU time of its main thread in a turn, at the 99.9th percentile.

${renderTable(
  [
    ...['organizations × days', 'first sync p99.9', 'longest', 'ran', 'round p99.9', 'longest', 'ran'],
    ...['restart p99.9', 'longest', 'ran'],
  ],
  stalls,
)}

${renderTable(['organizations × days', 'at rest MiB', 'peak MiB', 'compressed KiB', 'against gzip -6'], sizes)}`;
}

/** What one process is meant for: the limits hold up to here. */
const MOST = 500;

/** The targets, each for the sizes that it names. */
export function organizationsAims(all: readonly OrganizationsResult[]): readonly Aim[] {
  const results = all.filter(({ organizations }) => organizations <= MOST);
  const phases = results.flatMap(phasesOf);
  const most = (value: (phase: Phase) => number) => Math.max(...phases.map(value));
  const largest = results.filter(({ organizations }) => organizations === MOST);
  const first = largest[0];
  return [
    ...(first === undefined ? [] : [below(`first sync with ${at(first)}`, 60, first.firstSync.seconds, 's')]),
    ...largest.flatMap((result) => [
      below(`restart to the full page with ${at(result)}`, 10, result.restart.fullSeconds, 's'),
      below(`peak of resident memory with ${at(result)}`, 700, result.peak / 2 ** 20, 'MiB'),
    ]),
    below(
      `99th percentile of the answers, any size up to ${MOST}`,
      100,
      most(({ p99 }) => p99),
      'ms',
    ),
    below(
      `slowest answer, any size up to ${MOST}`,
      500,
      most(({ slowest }) => slowest),
      'ms',
    ),
    below(
      `99.9th percentile of the stalls, any size up to ${MOST}`,
      50,
      most(({ stalls }) => stalls.p999),
      'ms',
    ),
    below(
      `longest stall, any size up to ${MOST}`,
      250,
      most(({ stalls }) => stalls.longest),
      'ms',
    ),
    ...largest.map((result) =>
      below(`compressed page with ${at(result)}, against gzip -6`, 1.1, result.compressed / result.gzip, '×'),
    ),
    ...linesOf(results),
  ];
}

function at({ organizations, days }: OrganizationsResult): string {
  return `${grouped(organizations)} organizations × ${days} days`;
}

/** How far the CPU time lies from the line between fewer and more organizations, in each round. */
function linesOf(results: readonly OrganizationsResult[]): readonly Aim[] {
  const days = results[0]?.days;
  const found = (wanted: number) =>
    results.find((result) => result.days === days && result.organizations === wanted)?.runs;
  const [from, between, to] = [found(LINE.from), found(LINE.between), found(LINE.to)];
  if (from === undefined || between === undefined || to === undefined) return [];
  const share = (LINE.between - LINE.from) / (LINE.to - LINE.from);
  return PHASES.map(([phase, name]) => {
    const costs = (runs: OrganizationsResult['runs']) => runs.map((run) => run[phase].cpuSeconds);
    const [few, many] = [costs(from), costs(to)];
    const expected = few.map((cost, round) => cost + share * ((many[round] ?? Number.NaN) - cost));
    const ratios = costs(between).map((cost, round) => cost / (expected[round] ?? Number.NaN));
    const what = `CPU of a ${name} of ${LINE.between} organizations, off the line from ${LINE.from} to ${LINE.to}`;
    return below(what, 20, spreadOf(ratios.map((ratio) => Math.abs(ratio - 1) * 100)), '%');
  });
}

const PHASES = [
  ['firstSync', 'first sync'],
  ['round', 'round'],
  ['restart', 'restart'],
] as const;

function phasesOf(result: OrganizationsResult): readonly Phase[] {
  return PHASES.map(([phase]) => result[phase]);
}

/** CPU seconds against the number of organizations with the days of the first size, as an SVG document. */
export function drawOrganizations(all: readonly OrganizationsResult[]): string {
  const results = all.filter(({ days }) => days === all[0]?.days);
  const lines = PHASES.map(
    ([phase, name]): Line => ({
      name,
      points: results.map((result) => ({ x: result.organizations, y: result[phase].cpuSeconds })),
    }),
  );
  return renderLineChart(
    'CPU of the exporter by number of organizations',
    'organizations',
    'CPU seconds',
    lines,
  );
}
