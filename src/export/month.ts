import type { Collector } from '../catalog/collector.ts';
import { addDays, type Day, firstOfMonth, lastOfMonth, parseDay } from '../catalog/day.ts';
import type { Family, Sample } from '../catalog/family.ts';
import { foldAll, labelsKey } from '../pipeline/folding.ts';
import { createLabelWeights } from '../pipeline/label-weights.ts';
import type { PageFamily } from '../pipeline/past-days.ts';
import type { ExportedFigures } from './format.ts';

/** What a row is of. */
export type PeriodName = 'day' | 'month';

/** A month by its name and its days, inclusive. */
interface Month {
  /** That of the calendar month in which it begins, such as 2026-10. */
  readonly name: string;
  readonly first: Day;
  readonly last: Day;
}

/** The month of a day, which begins on the day `starts` of a calendar month: all that an export knows of where one begins and ends. */
export function monthOf(day: Day, starts?: number): Month {
  const first = firstOfMonth(day, starts);
  return { name: first.slice(0, 7), first, last: lastOfMonth(day, starts) };
}

/** The month of a name such as 2026-10; undefined if there is none. */
export function monthNamed(name: string, starts?: number): Month | undefined {
  const first = parseDay(`${name}-01`);
  return first && monthOf(lastOfMonth(first), starts);
}

/** The newest month that ended on a day or before. */
export function monthEndedBy(day: Day, starts?: number): Month {
  return monthOf(addDays(monthOf(addDays(day, 1), starts).first, -1), starts);
}

/** Prefix of the names of what belongs to one day. */
export const DAILY = 'agent_platform_daily_';

/** Without the cost of each day, no amount of money is of a whole month. */
const COST = `${DAILY}cost`;

/** How many values of a label a month has, the largest; the others are summed into `other`. */
const LARGEST = 8;

/** Labels whose values all matter to a bill. */
const WHOLE: ReadonlySet<string> = new Set(['model', 'tier', 'team']);

/** Labels of the states that a month has. */
const STATE_LABELS: ReadonlySet<string> = new Set(['team', 'currency']);

/** In the name of what belongs to several days, such as the sum of a week. */
const SEVERAL_DAYS = /_\d+d(_|$)/;

/** Whether a family says what a month will be, which is nothing to say once it is over. */
export function isExpectation(name: string): boolean {
  return /_month_(?:forecast|budget_lasts|budget_exceeded_probability)/.test(name);
}

/** Whether a month's summary has a family: amounts of days, which have a sum, and states of the organization and of its teams. */
export function isOfMonth(family: Family): boolean {
  const { name, labels, aggregation } = family;
  if (SEVERAL_DAYS.test(name)) return false;
  const isState = aggregation !== 'info' && labels.every((label) => STATE_LABELS.has(label));
  return name.startsWith(DAILY) ? isSummed(family) : isState;
}

/** Neither the same people on two days, who are not twice as many, nor single people, nor parts of parts. */
function isSummed({ name, aggregation, unit, labels, fixedLabels = [], dropPriority }: Family): boolean {
  const kinds = labels.filter((label) => fixedLabels.includes(label) && label !== 'currency');
  if (kinds.length > 0 && kinds.length < labels.length) return false;
  const isAmount = aggregation === 'additive' && unit !== 'people';
  return name.startsWith(DAILY) && isAmount && dropPriority !== 'detail';
}

interface Summed {
  readonly family: Family;
  readonly amounts: Map<string, { readonly labels: Sample['labels']; readonly values: number[] }>;
  days: number;
}

interface MonthParts {
  readonly collectors: readonly Collector[];
  /** Adds amounts up. */
  readonly sum: (amounts: readonly number[]) => number;
  /** The day of the month on which months start. */
  readonly starts?: number | undefined;
}

/** The figures of an organization's month, or of a part of it; of no day at first. */
export class MonthFigures {
  readonly #parts: MonthParts;
  readonly #declared: readonly Family[];
  readonly #summed: ReadonlyMap<string, Summed>;
  /** The families of collectors that do not know each day. */
  readonly #unknown = new Set<string>();
  readonly #days: Day[] = [];
  /** The figures of the last day. */
  #newest: readonly PageFamily[] = [];

  constructor(parts: MonthParts) {
    this.#parts = parts;
    this.#declared = parts.collectors.flatMap(({ families }) => families.filter(isOfMonth));
    this.#summed = new Map(
      this.#declared.filter(isSummed).map((family) => [family.name, { family, amounts: new Map(), days: 0 }]),
    );
  }

  /** Adds a day's figures; `missing` are the collectors that do not know the day. */
  add(day: Day, families: readonly PageFamily[], missing: readonly Collector[]): void {
    this.#days.push(day);
    this.#newest = families;
    for (const { name } of missing.flatMap((collector) => collector.families)) this.#unknown.add(name);
    for (const { family, samples } of families) {
      const known = this.#summed.get(family.name);
      if (known === undefined) continue;
      known.days++;
      for (const sample of samples()) {
        const key = labelsKey(known.family, sample);
        const amount = known.amounts.get(key) ?? { labels: sample.labels, values: [] };
        known.amounts.set(key, amount);
        amount.values.push(sample.value);
      }
    }
  }

  /**
   * The name of the month, or the days of a part of one, and its figures: daily amounts as their sums, and states as they were on the last day. A total that any day lacks is left out, and with the
   * cost all amounts of money; so are the figures of collectors that do not know each day.
   */
  end(): Pick<ExportedFigures, 'period' | 'first' | 'families'> {
    const [first, last] = [this.#days[0], this.#days.at(-1)];
    if (first === undefined || last === undefined) throw new Error('a month without days');
    const month = monthOf(last, this.#parts.starts);
    const isWhole = month.first === first && month.last === last;
    const period = isWhole ? month.name : `${first} to ${last}`;
    return { period, first, families: [...this.#sums(), ...this.#states(isWhole)] };
  }

  #states(isWhole: boolean): readonly PageFamily[] {
    const names = new Set<string>(this.#declared.map(({ name }) => name));
    return this.#newest.filter(
      ({ family: { name } }) =>
        names.has(name) &&
        !this.#summed.has(name) &&
        !this.#unknown.has(name) &&
        !(isWhole && isExpectation(name)),
    );
  }

  #sums(): readonly PageFamily[] {
    const known = [...this.#summed.values()].filter(
      (one) => one.days > 0 && !this.#unknown.has(one.family.name),
    );
    const partial = known.filter((one) => isTotal(one.family) && one.days < this.#days.length);
    if (partial.some(({ family }) => family.name === COST)) partial.push(...known.filter(isMoney));
    const weights = createLabelWeights(this.#declared, (label) => (WHOLE.has(label) ? Infinity : LARGEST));
    const whole = known.filter((one) => !partial.includes(one));
    const added = whole.map(({ family, amounts }) => {
      const samples = [...amounts.values()].map(({ labels, values }) => ({
        labels,
        value: exact(this.#parts.sum(values)),
      }));
      weights.add(family, samples);
      return { family, samples };
    });
    const kept = weights.kept();
    return added.map(({ family, samples }) => ({
      family,
      recorded: false,
      stamps: [],
      samples: () => foldAll(family, samples, kept),
    }));
  }
}

function isMoney({ family }: Summed): boolean {
  return family.unit === 'currency';
}

function isTotal({ labels }: Family): boolean {
  return labels.every((label) => label === 'currency');
}

/** A figure as a spreadsheet gets it: money without the rounding error of its computation. */
export function writtenValue({ unit }: Pick<Family, 'unit'>, value: number): number {
  return unit === 'currency' ? exact(value) : value;
}

/** Without the rounding error of amounts that have been multiplied. */
export function exact(sum: number): number {
  return Number(sum.toPrecision(15));
}
