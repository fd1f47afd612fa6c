import { quantile } from '../statistics.ts';
import { grouped, renderTable } from '../table.ts';
import type { Check, Soak } from './checks.ts';

/** Number of points in time that the page shows. */
const SHOWN = 10;

/** The soak section of the page of results. */
export function renderSoak(soak: Soak, checks: readonly Check[], machine: string): string {
  const { minutes, organizations, perSecond, pollSeconds, polls, scrapes, samples, answers, logLines } = soak;
  const shown = samples.filter((_, index) => index % Math.max(1, Math.ceil(samples.length / SHOWN)) === 0);
  return `## Soak

Written by \`npm run soak -- --write\`: ${minutes} minutes with ${organizations} organizations, ${perSecond} scrapes a second and a poll of
everything every ${pollSeconds} s (${grouped(polls)} polls), while the simulated platform went through periods of faults. The exporter,
the platform and the scraper are processes on the same machine: ${machine}.

${renderTable(
  ['Check', 'Found', ''],
  checks.map(({ what, found, held }) => [what, found, held ? 'held' : '**missed**']),
)}

A scrape took ${quantile(scrapes, 0.5).toFixed(1)} ms in the median, ${quantile(scrapes, 0.99).toFixed(0)} ms at the 99th percentile, and ${quantile(scrapes, 1).toFixed(0)} ms at most.
The platform answered ${counts(answers)} (0: connection closed). Log lines: ${counts(logLines)}.

${renderTable(
  ['After', 'Resident, MiB', 'Heap in use, MiB', 'Open files'],
  shown.map(({ second, residentBytes, heapBytes, openFiles }) => [
    `${(second / 60).toFixed(1)} min`,
    (residentBytes / 2 ** 20).toFixed(1),
    (heapBytes / 2 ** 20).toFixed(1),
    String(openFiles),
  ]),
)}
`;
}

function counts(numbers: ReadonlyMap<string | number, number>): string {
  return [...numbers]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, count]) => `${name} × ${grouped(count)}`)
    .join(', ');
}
