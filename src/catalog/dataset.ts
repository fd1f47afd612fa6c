/** The datasets of the platform, which are also the values of the `dataset` label. */
export type DatasetName = 'tokens' | 'tools' | 'activity' | 'productivity' | 'users' | 'readiness' | 'wiki';

/** A dataset with one row per UTC day; `Row` is what is kept of a row. */
export interface DayDataset<Row> {
  readonly kind: 'days';
  readonly name: DatasetName;
  /** The row that stands for a day known to have had no activity: zeros, without breakdowns and averages. */
  readonly idle: Row;
}

/** A dataset that is a set of documents with an identity, such as reports. */
export interface DocumentDataset<Document> {
  readonly kind: 'documents';
  readonly name: DatasetName;
  /** What tells two documents apart. */
  idOf(document: Document): string;
}
