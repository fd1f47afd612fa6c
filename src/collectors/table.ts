import type { DayDataset } from '../catalog/dataset.ts';
import type { Day } from '../catalog/day.ts';
import { type DayFamily, dayFamily, type FamilyDeclaration, type Sample } from '../catalog/family.ts';
import type { View } from '../catalog/view.ts';
import type { Count } from './counts.ts';
import { counts, figure, parts } from './samples.ts';

/** The declaration of a family in one line of a table; its values are additive by default. */
export interface Line
  extends Pick<FamilyDeclaration<string>, 'name' | 'help' | 'unit' | 'dropPriority'>,
    Partial<Pick<FamilyDeclaration<string>, 'aggregation' | 'isFor'>> {
  readonly breakdown?: boolean;
  /** The part of the row that the family breaks down; the part of its member by default. */
  readonly part?: string | undefined;
}

/** A line that names the members of the row from which the value is read, separated by commas. */
export interface MemberLine extends Line {
  readonly members: string;
}

/** The names of a row's members whose values have a type. */
type MembersOf<Row, Value> = {
  [Name in keyof Row]-?: Row[Name] extends Value | undefined ? Name : never;
}[keyof Row] &
  string;

/** Creates functions that declare a family of a dataset in one line; its samples are read from the day's row. */
export function tableOf<Row>(dataset: DayDataset<Row>) {
  /** A family whose samples are computed from the row; none on a day without a row. */
  function samples<const Label extends string = never>({
    members,
    samplesOf,
    ...line
  }: MemberLine &
    Partial<Pick<FamilyDeclaration<Label>, 'labels' | 'fixedLabels' | 'apart'>> & {
      samplesOf(row: Row, view: View, day: Day): Iterable<Sample<NoInfer<Label>>> | undefined;
    }): DayFamily<Label> {
    return dayFamily<Label>({
      aggregation: 'additive',
      ...line,
      source: `${dataset.name}: ${members}`,
      samplesOf(view, day) {
        const row = view.row(dataset, day);
        return row && samplesOf(row, view, day);
      },
    });
  }

  /** The part of the row to which a member belongs. */
  function partOf(member: string) {
    const [part] = Object.entries(dataset.parts ?? {}).find(([, of]) => of.members.includes(member)) ?? [];
    return part;
  }

  return {
    samples,
    /** A family without labels: the member itself. */
    figure: (member: MembersOf<Row, number>, line: Line): DayFamily<never> =>
      samples({
        members: member,
        ...line,
        samplesOf: (row) => figure(row[member] as number | undefined),
      }),
    /** A family with one label: the named counts of the member. */
    counts: <const Label extends string>(
      member: MembersOf<Row, readonly Count[]>,
      label: Label,
      line: Line & Partial<MemberLine>,
    ): DayFamily<Label> =>
      samples<Label>({
        breakdown: true,
        part: partOf(member),
        members: member,
        ...line,
        labels: [label],
        samplesOf: (row) => counts(label, row[member] as readonly Count[] | undefined),
      }),
    /** A family with one label of a closed set: a sample for each value that is known. */
    parts: <const Label extends string>(
      label: Label,
      valuesOf: (row: Row) => Readonly<Record<string, number | null | undefined>> | undefined,
      line: MemberLine & Pick<FamilyDeclaration<Label>, 'apart'>,
    ): DayFamily<Label> =>
      samples<Label>({
        ...line,
        labels: [label],
        fixedLabels: [label],
        samplesOf: (row) => parts(label, valuesOf(row) ?? {}),
      }),
  };
}
