import type { OrgSettings } from './settings.ts';

/** The datasets of the platform, which are also the values of the `dataset` label. */
export type DatasetName = 'tokens' | 'tools' | 'activity' | 'productivity' | 'users' | 'readiness' | 'wiki';

/** A dataset with one row per UTC day; `Row` is the reduced row that history stores. */
export interface DayDataset<Row> {
  readonly kind: 'days';
  readonly name: DatasetName;
  /** The row of a day known to have had no activity: zeros, without breakdowns and averages. */
  readonly idle: Row;
  /** The main figure of a row; the log reports a revision of a day by it. */
  total?(row: Row): number | undefined;
  /** Whether a row was reduced under the present settings; the day of any other row is fetched again. */
  isCurrent?(row: Row, settings: OrgSettings): boolean;
  /** A row without the identities that these settings do not allow at its age in days; the row itself where all are allowed. */
  stripOldIdentities?(row: Row, age: number, settings: OrgSettings): Row;
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
  /** Version of `Document`, 1 by default. Raise it with every change: documents stored with another version are not read. */
  readonly schemaVersion?: number;
}

/**
 * A total of a row together with its breakdowns: what is kept of two answers must be of one of them, else the
 * difference between the total and the sum of its parts would be of neither.
 */
export interface RowPart {
  /** The members of the platform's row that this is read from. */
  readonly fields: readonly string[];
  /** The members of the stored row, with a dot where one lies in another. */
  readonly members: readonly string[];
  /** Whether a whole answer may lack some of these where an earlier one had them, as what few people's figures make. */
  readonly mayLack?: boolean;
}

/** The parts of a dataset's rows by name; what is in none of them says how the row was made. */
export type RowParts = Readonly<Record<string, RowPart>>;

/** What every stored row may say of the answers it was made of. */
export interface Reduced {
  /**
   * The parts that the last answer did not carry whole, with the number of unusable fields in what is stored: 0 where
   * that is an earlier, whole answer. Such a day is asked for again until an answer is whole.
   */
  readonly rejected?: Readonly<Record<string, number>> | undefined;
}

/** Whether a day of this row must be asked for again, because its last answer was not whole. */
export function isUnsettled(row: unknown): boolean {
  return Object.keys(rejectedOf(row)).length > 0;
}

/** Whether something is missing from this row, or from a part of it, so that what it leaves out is not known to be 0. */
export function isDamaged(row: unknown, part?: string): boolean {
  return Object.entries(rejectedOf(row)).some(([name, count]) => count > 0 && (part ?? name) === name);
}

/** The row's own account of its parts; empty where all of them are whole. */
export function rejectedOf(row: unknown): Readonly<Record<string, number>> {
  return (row as Reduced | undefined)?.rejected ?? {};
}

/** The row with the unusable fields of an answer counted under their parts; `fields` holds one name for each. */
export function withRejected<Row extends Reduced>(
  row: Row,
  fields: readonly string[],
  parts: RowParts = {},
): Row {
  const rejected: Record<string, number> = { ...row.rejected };
  for (const field of fields) {
    const [name] = Object.entries(parts).find(([, part]) => part.fields.includes(field)) ?? [];
    if (name !== undefined) rejected[name] = (rejected[name] ?? 0) + 1;
  }
  return Object.keys(rejected).length === 0 ? row : { ...row, rejected };
}
