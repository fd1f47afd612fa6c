import type { RowParts } from './parts.ts';
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
