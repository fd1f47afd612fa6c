import type { RowParts } from './parts.ts';
import type { OrgSettings } from './settings.ts';

/** The datasets of the platform, which are also the values of the `dataset` label. */
export type DatasetName = 'tokens' | 'tools' | 'activity' | 'productivity' | 'users' | 'readiness' | 'wiki';

/** A dataset with one row per UTC day; `Row` is what is kept of a row. */
export interface DayDataset<Row> {
  readonly kind: 'days';
  readonly name: DatasetName;
  /** The row that stands for a day known to have had no activity: zeros, without breakdowns and averages. */
  readonly idle: Row;
  /** The main number of a row, by which a log says how much a revised day has changed. */
  total?(row: Row): number | undefined;
  /** Whether a row was made as the settings have it now; where it was not, its day is asked for again. */
  isCurrent?(row: Row, settings: OrgSettings): boolean;
  /** What may stay of a row that is so many days old, with these settings; the row itself where all of it may. */
  condense?(row: Row, age: number, settings: OrgSettings): Row;
  /** What of a row is kept or taken together when its day is answered again; where not given, nothing is kept. */
  readonly parts?: RowParts;
  /** The form of `Row`, 1 unless given: raised with it, so that rows stored in another form are asked for again. */
  readonly form?: number;
}

/** A dataset that is a set of documents with an identity, such as reports. */
export interface DocumentDataset<Document> {
  readonly kind: 'documents';
  readonly name: DatasetName;
  /** What tells two documents apart. */
  idOf(document: Document): string;
  /** The form of `Document`, 1 unless given: raised with it, so that what is stored in another form is left out. */
  readonly form?: number;
}
