import { keyOf, type Mutant } from './sample.ts';

/** The part of Stryker's JSON report that is read. */
export interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Tested[] }>>;
}
interface Tested extends Omit<Mutant, 'fileName'> {
  readonly status: string;
  readonly statusReason?: string;
}

/** How many of the tested mutants the tests detected, in percent with the 95 % Wilson interval, and those they did not. */
interface Score {
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

/**
 * The keys of the mutants whose tests the time limit has ended, which a busy machine can cause. A loop without end is not
 * among them: Stryker counts how often it comes by.
 */
export function lateOf(report: Report): readonly string[] {
  return mutantsOf(report)
    .filter(({ status, statusReason = '' }) => status === 'Timeout' && !statusReason.startsWith('Hit limit'))
    .map(keyOf);
}

/** `again` is the report of the late mutants, tested once more with a longer limit: what it says of them counts. */
export function scoreOf(report: Report, again: Report = { files: {} }): Score {
  const statuses = new Map(
    mutantsOf(again)
      .filter(({ status }) => DETECTED.has(status) || UNDETECTED.has(status))
      .map((mutant) => [keyOf(mutant), mutant.status]),
  );
  const all = mutantsOf(report).map((mutant) => ({
    ...mutant,
    status: statuses.get(keyOf(mutant)) ?? mutant.status,
  }));
  const detected = all.filter(({ status }) => DETECTED.has(status)).length;
  const left = all.filter(({ status }) => UNDETECTED.has(status));
  const tested = detected + left.length;
  const survivors = left.map(({ fileName, mutatorName, replacement, location: { start } }) => {
    const text = replacement.replace(/\s+/g, ' ').slice(0, 60);
    return `${fileName}:${start.line}:${start.column} ${mutatorName} -> ${text}`;
  });
  return { tested, score: (100 * detected) / tested, ...wilson(detected, tested), survivors };
}

function mutantsOf({ files }: Report): readonly (Tested & Mutant)[] {
  return Object.entries(files).flatMap(([fileName, { mutants }]) =>
    mutants.map((mutant) => ({ ...mutant, fileName })),
  );
}

function wilson(hits: number, tries: number): { readonly low: number; readonly high: number } {
  const share = hits / tries;
  const squared = Z * Z;
  const middle = share + squared / (2 * tries);
  const half = Z * Math.sqrt((share * (1 - share)) / tries + squared / (4 * tries * tries));
  const width = 1 + squared / tries;
  return { low: (100 * (middle - half)) / width, high: (100 * (middle + half)) / width };
}
