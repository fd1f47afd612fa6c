import type { Instant } from './day.ts';
import { isObject } from './object.ts';
import type { OrgSettings } from './settings.ts';

/** The datasets of the platform, which are also the values of the `dataset` label. */
export type DatasetName = 'tokens' | 'tools' | 'activity' | 'productivity' | 'users' | 'readiness' | 'wiki';

/** A dataset with one row per UTC day; `Row` is the reduced row that history stores. */
export interface DayDataset<Row> {
  readonly kind: 'days';
  readonly name: DatasetName;
  /** The default platform's row of a day known to have had no activity: zeros, without breakdowns and averages. */
  readonly idle: Row;
  /** Other members that are 0 on such a day where a platform reports them. */
  readonly zeros?: readonly string[];
  /** The main figure of a row; the log reports a revision of a day by it. */
  total?(row: Row): number | undefined;
  /** How many days before yesterday figures are made from, where these are not as many as those of other datasets. */
  readonly usedDays?: number;
  /** Members whose numbers describe more than the day, such as the people of a month: they show no activity on it. */
  readonly beyondDay?: readonly string[];
  /** Whether a row was reduced under the present settings; the day of any other row is fetched again. */
  isCurrent?(row: Row, settings: OrgSettings): boolean;
  /**
   * Whether a row made under former settings has all that is now published from older days; if not, its day is fetched
   * again, as far back as `ExpensiveDataset.neededDays`.
   */
  isSufficient?(row: Row, settings: OrgSettings): boolean;
  /** A row without what these settings do not allow to be kept about people at its age in days; the row itself where all is allowed. */
  stripOldIdentities?(row: Row, age: number, settings: OrgSettings): Row;
  /** What a row reports otherwise than the settings, which win; the log says it once. */
  contradictionIn?(row: Row, settings: OrgSettings): string | undefined;
  /** Fields that are kept or replaced together when a day is answered again; where absent, the whole row is replaced. */
  readonly parts?: RowParts;
  /** Version of `Row`, 1 by default. Raise it with every change of `Row`: rows stored with another version are fetched again. */
  readonly schemaVersion?: number;
}

/** A dataset that is a set of documents with an identity, such as reports. */
export interface DocumentDataset<Document> {
  readonly kind: 'documents';
  readonly name: DatasetName;
  /** The identity of a document. */
  idOf(document: Document): string;
  /**
   * When a document came into being; undefined if it always existed. Where declared, a figure depends on the instant of a
   * view only by which documents existed then.
   */
  existsFrom?(document: Document): Instant | undefined;
  /** Version of `Document`, 1 by default. Raise it with every change: documents stored with another version are not read. */
  readonly schemaVersion?: number;
}

/** Fields of a row that are kept or replaced together. */
interface RowPart {
  /** Members of the stored row; nested ones as dotted paths. */
  readonly members: readonly string[];
  /**
   * The parts whose figures this one breaks down. It is shown beside those that it came with, since the difference between a
   * total and another total's parts would be meaningless; it never keeps a total from being replaced.
   */
  readonly breaksDown?: readonly string[];
  /** The members that a complete response may lack although an earlier one had them, such as figures of too few people. */
  readonly mayLack?: readonly string[];
  /** Whether an answered value says the same as the stored one in less detail: then the stored one stays. */
  isCoarser?(stored: unknown, answered: unknown): boolean;
}

/** The parts of a dataset's rows by name; members in no part describe how the row was made. */
export type RowParts = Readonly<Record<string, RowPart>>;

/** The row of a day without activity under these settings: always the same object. */
export function idleRowOf<Row>({ idle, name }: DayDataset<Row>, { idleRows }: OrgSettings): Row {
  return (idleRows?.[name] as Row | undefined) ?? idle;
}

/** The row of a day without activity on a platform that reports these members. */
export function idleRowWith<Row extends object>(
  { idle, zeros = [] }: DayDataset<Row>,
  reported: readonly string[],
): Row {
  const isFigure = (value: unknown) => typeof value === 'number' || isObject(value);
  const isZero = (member: string) => zeros.includes(member) || hasMember(idle, member.split('.'));
  const fixed = Object.fromEntries(Object.entries(idle).filter(([, value]) => !isFigure(value)));
  return reported.filter(isZero).reduce((row, member) => withMember(row, member, 0), fixed) as Row;
}

function hasMember(row: object, [outer = '', inner]: readonly string[]): boolean {
  const value = Reflect.get(row, outer);
  return inner === undefined ? typeof value === 'number' : isObject(value) && inner in value;
}

/** Members common to all stored rows. */
export interface Reduced {
  /**
   * The parts that were incomplete in the last response, with the number of unusable fields in the stored data: 0 where
   * that is from an earlier, complete response. Such a day is fetched again until a response is complete.
   */
  readonly rejected?: Readonly<Record<string, number>> | undefined;
}

/**
 * Whether a row shows activity on its day: any of its numbers is above zero. Undefined if that is unknown, because it has
 * no number or because a field was unusable.
 */
export function hasActivity(dataset: DayDataset<unknown>, row: unknown): boolean | undefined {
  const ignored = ['rejected', ...(dataset.beyondDay ?? [])];
  const members = Object.entries(row as object).filter(([name]) => !ignored.includes(name));
  const numbers = members.flatMap(([, member]) => numbersIn(member));
  if (numbers.some((number) => number > 0)) return true;
  return numbers.length === 0 || isUnsettled(row) ? undefined : false;
}

function numbersIn(value: unknown): readonly number[] {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

/** Reports whether the day of this row must be fetched again because its last response was incomplete. */
export function isUnsettled(row: unknown): boolean {
  return Object.keys(rejectedOf(row)).length > 0;
}

/** Reports whether a row, or a part of it, lacks data, so that an absent figure is unknown rather than 0. */
export function isDamaged(row: unknown, part?: string, parts?: RowParts): boolean {
  return Object.keys(rejectedOf(row)).some((name) => rejectedIn(row, part ?? name, parts) > 0);
}

/**
 * The number of unusable fields of a part. A row that an earlier release stored may name other parts: their faults may be in
 * any part.
 */
export function rejectedIn(row: unknown, part: string, parts: RowParts = {}): number {
  const rejected = rejectedOf(row);
  const others = Object.entries(rejected).filter(([name]) => !(name in parts));
  return rejected[part] ?? others.reduce((sum, [, count]) => sum + count, 0);
}

/** The number of unusable fields by part; empty if all parts are complete. */
function rejectedOf(row: unknown): Readonly<Record<string, number>> {
  return (row as Reduced | undefined)?.rejected ?? {};
}

/** Counts the unusable fields of a response by part; `faulty` holds the name of a part per fault. */
export function withRejected<Row extends Reduced>(row: Row, faulty: readonly string[]): Row {
  const rejected: Record<string, number> = { ...row.rejected };
  for (const name of faulty) rejected[name] = (rejected[name] ?? 0) + 1;
  return Object.keys(rejected).length === 0 ? row : { ...row, rejected };
}

/** A row with another value of a member, which is nested if its path has a dot. */
export function withMember(
  row: Readonly<Record<string, unknown>>,
  path: string,
  value: unknown,
): Readonly<Record<string, unknown>> {
  const [outer = '', inner] = path.split('.');
  if (inner === undefined) return { ...row, [outer]: value };
  return { ...row, [outer]: { ...(row[outer] as object | undefined), [inner]: value } };
}
