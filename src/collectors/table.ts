import type { DayDataset } from '../catalog/dataset.ts';
import type { Day } from '../catalog/day.ts';
import { type DayFamily, dayFamily, type FamilyDeclaration, type Sample } from '../catalog/family.ts';
import type { View } from '../catalog/view.ts';
import type { Count } from './counts.ts';
import { counts, figure, parts } from './samples.ts';

/** What one line of a table says about a family; values are additive unless it says otherwise. */
export interface Line
  extends Pick<FamilyDeclaration<string>, 'name' | 'help' | 'unit' | 'dropPriority'>,
    Partial<Pick<FamilyDeclaration<string>, 'aggregation' | 'isFor'>> {
  readonly breakdown?: boolean;
  /** The part of the row that this breaks down; that of the member by default. */
  readonly part?: string | undefined;
}

/** A line with the members of the row that the value is read from, with commas. */
export interface MemberLine extends Line {
  readonly members: string;
}

/** The members of a row whose values are of a type. */
type MembersOf<Row, Value> = {
  [Name in keyof Row]-?: Row[Name] extends Value | undefined ? Name : never;
}[keyof Row] &
  string;

/** Declares the families of a dataset whose samples are read from the day's row, a line each. */
export function tableOf<Row>(dataset: DayDataset<Row>) {
  /** A family of what is made of the row, where there is one. */
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

  /** The part of a member. */
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
