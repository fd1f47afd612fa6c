// What may be published, defined anew from the rules of days (docs/adr/0007-late-days.md) and of sums (docs/METRICS.md), from
// nothing but what the platform answered. Nothing of the pipeline is imported, and speed does not matter.

const DAY_MS = 86_400_000;
/** After its end, a day without a row may still get one for so long. */
const LATE_MS = 3 * DAY_MS;

export type Raw = Readonly<Record<string, unknown>>;

/** What one answer had of a day. */
interface Answer {
  readonly at: number;
  /** The day's element; undefined where it had none, or several that differ. */
  readonly row: Raw | undefined;
  /** Whether every element of the answer was a row of its own day. */
  readonly isClean: boolean;
}

export interface Reference {
  /** Notes an answer about consecutive days; `elements` are all that came, in any order. */
  answered(dataset: string, days: readonly string[], elements: readonly unknown[], at: number): void;
  hasRow(dataset: string, day: string): boolean;
  /** Whether a day may count as one without activity; `known` also only provisionally. */
  isIdle(dataset: string, day: string, kind: 'final' | 'known'): boolean;
  /** The newest usable value of a number of a day's row; 0 on a day that may be idle; undefined if there is none. */
  number(dataset: string, day: string, field: string): number | undefined;
  /** The rows of a day that were answered, oldest first. */
  rowsOf(dataset: string, day: string): readonly Raw[];
}

/** Whether a value is a number that may be published. */
export function isUsable(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 2 ** 53;
}

/** Creates a reference for an organization without any answer yet. */
export function createReference(datasets: readonly string[]): Reference {
  const answers = new Map(datasets.map((name) => [name, new Map<string, Answer[]>()]));
  const of = (dataset: string, day: string) => answers.get(dataset)?.get(day) ?? [];
  const endOf = (day: string) => Date.parse(day) + DAY_MS;
  const rowsOf = (dataset: string, day: string) =>
    of(dataset, day).flatMap(({ row }) => (row === undefined ? [] : [row]));
  const hasRow = (dataset: string, day: string) => rowsOf(dataset, day).length > 0;
  const isCovered = (dataset: string, day: string) =>
    of(dataset, day).some(({ row, isClean }) => row !== undefined || isClean);
  const wasAskedLate = (dataset: string, day: string) =>
    of(dataset, day).some(({ at, isClean }) => isClean && at >= endOf(day) + LATE_MS);

  /** Activity is any number above zero, other than the people of more than the day. */
  function isQuiet(dataset: string, day: string): boolean {
    const newest = rowsOf(dataset, day).at(-1);
    if (newest === undefined) return isCovered(dataset, day);
    const { weekly_active_users: _week, monthly_active_users: _month, ...ofDay } = newest;
    return !numbersIn(ofDay).some((number) => number > 0);
  }

  function isIdle(dataset: string, day: string, kind: 'final' | 'known'): boolean {
    if (!isCovered(dataset, day) || hasRow(dataset, day)) return false;
    const areOthersQuiet = datasets.every((other) => other === dataset || isQuiet(other, day));
    const withRow = [...(answers.get(dataset)?.keys() ?? [])].filter((other) => hasRow(dataset, other));
    if (withRow.some((other) => other > day)) return areOthersQuiet || wasAskedLate(dataset, day);
    const last = withRow.sort().at(-1);
    if (kind === 'final' || last === undefined) return false;
    const before = new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10);
    const isKnownBefore = before === last || isIdle(dataset, before, 'known');
    return areOthersQuiet && wasAskedLate(dataset, day) && isKnownBefore;
  }

  return {
    answered(dataset, days, elements, at) {
      const byDay = new Map<string, Raw[]>();
      let isClean = true;
      for (const element of elements) {
        const row = (typeof element === 'object' ? element : undefined) as Raw | undefined | null;
        const day = String(row?.['date']);
        if (row == null || !days.includes(day)) isClean = false;
        else byDay.set(day, [...(byDay.get(day) ?? []), row]);
      }
      const rows = new Map<string, Raw>();
      for (const [day, [first, ...others]] of byDay) {
        if (first === undefined) continue;
        if (others.every((other) => JSON.stringify(other) === JSON.stringify(first))) rows.set(day, first);
        else isClean = false;
      }
      for (const day of days) {
        const known = answers.get(dataset) ?? new Map<string, Answer[]>();
        known.set(day, [...(known.get(day) ?? []), { at, row: rows.get(day), isClean }]);
        answers.set(dataset, known);
      }
    },
    hasRow,
    isIdle,
    number(dataset, day, field) {
      const values = rowsOf(dataset, day).map((row) => row[field]);
      if (values.length === 0) return isIdle(dataset, day, 'known') ? 0 : undefined;
      return values.filter(isUsable).at(-1);
    },
    rowsOf,
  };
}

/** The usable numbers anywhere in a value. */
function numbersIn(value: unknown): readonly number[] {
  if (isUsable(value)) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

/** An element of a breakdown; `label` is undefined if its name is unusable. */
export interface Part {
  readonly label: string | undefined;
  readonly amount: unknown;
}

/** The sum of each label of a breakdown; undefined for one of which a part is unusable. */
export function sumsOf(parts: readonly Part[]): ReadonlyMap<string, number | undefined> {
  const sums = new Map<string, number | undefined>();
  for (const label of new Set(parts.flatMap((part) => part.label ?? []))) {
    const own = parts.filter((part) => part.label === label).map(({ amount }) => amount);
    sums.set(label, own.every(isUsable) ? own.reduce((sum, amount) => sum + amount, 0) : undefined);
  }
  return sums;
}
