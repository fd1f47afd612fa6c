import type { DayDataset } from '../catalog/dataset.ts';
import type { Day } from '../catalog/day.ts';
import { type DayFamily, dayFamily, type FamilyDeclaration, type Sample } from '../catalog/family.ts';
import type { View } from '../catalog/view.ts';
import type { Count } from './counts.ts';
import { counts, figure } from './samples.ts';

/** What one line of a table says about a family; values are additive unless it says otherwise. */
export interface Line
  extends Pick<FamilyDeclaration<string>, 'name' | 'help' | 'unit' | 'dropPriority'>,
    Partial<Pick<FamilyDeclaration<string>, 'aggregation'>> {
  /** The field that the value is read from, within an element of `data`. */
  readonly field: string;
  readonly breakdown?: boolean;
  /** The part of the row that this breaks down. */
  readonly part?: string;
}

/** The members of a row whose values are of a type. */
type MembersOf<Row, Value> = {
  [Name in keyof Row]-?: Row[Name] extends Value | undefined ? Name : never;
}[keyof Row];

/** Declares the families of a dataset whose samples are one member of the day's row, a line each. */
export function tableOf<Row>(dataset: DayDataset<Row>, endpoint: string) {
  return {
    /** A family without labels: the member itself. */
    figure: (member: MembersOf<Row, number>, line: Line): DayFamily<never> =>
      lineFamily(endpoint, [], line, (view, day) =>
        figure(view.row(dataset, day)?.[member] as number | undefined),
      ),
    /** A family with one label: the named counts of the member. */
    counts: <const Label extends string>(
      member: MembersOf<Row, readonly Count[]>,
      label: Label,
      line: Line,
    ): DayFamily<Label> =>
      lineFamily(endpoint, [label], { breakdown: true, ...line }, (view, day) =>
        counts(label, view.row(dataset, day)?.[member] as readonly Count[] | undefined),
      ),
  };
}

/** Declares the family of a line of a table. */
export function lineFamily<const Label extends string>(
  endpoint: string,
  labels: readonly Label[],
  { field, ...line }: Line,
  samplesOf: (view: View, day: Day) => Iterable<Sample<Label>> | undefined,
): DayFamily<Label> {
  return dayFamily<Label>({
    aggregation: 'additive',
    ...line,
    labels,
    source: `${endpoint}: data[].${field}`,
    samplesOf,
  });
}
