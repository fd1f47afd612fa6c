import type { DatasetName, DayDataset, DocumentDataset } from './dataset.ts';
import type { Day, Instant } from './day.ts';
import type { OrgSettings } from './settings.ts';

/** The data of one organization that families are computed from, as of one instant. */
export interface View {
  readonly asOf: Instant;
  readonly settings: OrgSettings;
  /** The platform's identifier of the organization, once a response has contained it. */
  readonly orgId: string | undefined;
  /** The day datasets that are collected. */
  readonly datasets: readonly DayDataset<unknown>[];
  /** The newest complete day of a dataset, undefined while none is known. */
  newestDay(dataset: DayDataset<unknown>): Day | undefined;
  /** The row of a day; the idle row where the day is known to have none; undefined if the day is unknown. */
  row<Row>(dataset: DayDataset<Row>, day: Day): Row | undefined;
  /** The known days with a row before `day`, newest first. */
  rowsBefore<Row>(dataset: DayDataset<Row>, day: Day): Iterable<Row>;
  /** The stored rows after `day`, oldest first, including those of days that were not over at `asOf`. */
  rowsAfter<Row>(dataset: DayDataset<Row>, day: Day): Iterable<Row>;
  documents<Document>(dataset: DocumentDataset<Document>): readonly Document[];
  /**
   * Memoizes `make` by function identity, for intermediate results shared by several families.
   */
  once<Made>(make: (view: View) => Made): Made;
  /**
   * Memoizes `make` by function identity and day. It must depend on nothing but the day, the rows up to it, those of
   * `rowsAfter` and the settings: views of several instants may share what was made.
   */
  ofDay<Made>(make: (view: View, day: Day) => Made, day: Day): Made;
  /** Number of days since the start of history without known data: not fetched, or without a row that may be late. */
  uncoveredDays(dataset: DatasetName): number;
}
