import type { BenchOptions } from '../options.ts';
import type { ExecutableResult } from '../sections/executable.ts';
import { mebibytes, renderTable, shown } from './table.ts';

/** The page's section on the single executable. */
export function renderExecutablePage(
  { executable, built }: ExecutableResult,
  { starts }: BenchOptions,
): string {
  const forms = [
    ['single executable', executable],
    ['built program, with Node.js and its packages', built],
  ] as const;
  return `## Single executable

\`serve\` with an empty store and a platform that does not answer, from the start of the process to the first answered scrape:
medians of ${starts} alternating starts after one of each. Memory is resident memory right after that scrape; files are uncompressed.

${renderTable(
  ['', 'files MiB', 'start ms', 'resident MiB'],
  forms.map(([what, { bytes, ms, resident }]) => [what, mebibytes(bytes), shown(ms), mebibytes(resident)]),
)}`;
}
