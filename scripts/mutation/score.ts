import type { Mutant } from './sample.ts';

/** The part of Stryker's JSON report that is read. */
export interface Report {
  readonly files: Readonly<
    Record<string, { readonly mutants: readonly (Omit<Mutant, 'fileName'> & { readonly status: string })[] }>
  >;
}

/** How many of the tested mutants the tests detected, in percent with the 95 % Wilson interval, and those they did not. */
export interface Score {
  readonly tested: number;
  readonly score: number;
  readonly low: number;
  readonly high: number;
  readonly survivors: readonly string[];
}

const DETECTED: ReadonlySet<string> = new Set(['Killed', 'Timeout']);
const UNDETECTED: ReadonlySet<string> = new Set(['Survived', 'NoCoverage']);
/** Two-sided 95 %. */
const Z = 1.959964;

export function scoreOf({ files }: Report): Score {
  const all = Object.entries(files).flatMap(([file, { mutants }]) =>
    mutants.map((mutant) => ({ file, ...mutant })),
  );
  const detected = all.filter(({ status }) => DETECTED.has(status)).length;
  const left = all.filter(({ status }) => UNDETECTED.has(status));
  const tested = detected + left.length;
  const survivors = left.map(({ file, mutatorName, replacement, location: { start } }) => {
    const text = replacement.replace(/\s+/g, ' ').slice(0, 60);
    return `${file}:${start.line}:${start.column} ${mutatorName} -> ${text}`;
  });
  return { tested, score: (100 * detected) / tested, ...wilson(detected, tested), survivors };
}

function wilson(hits: number, tries: number): { readonly low: number; readonly high: number } {
  const share = hits / tries;
  const squared = Z * Z;
  const middle = share + squared / (2 * tries);
  const half = Z * Math.sqrt((share * (1 - share)) / tries + squared / (4 * tries * tries));
  const width = 1 + squared / tries;
  return { low: (100 * (middle - half)) / width, high: (100 * (middle + half)) / width };
}
