import type { DatasetName, DayDataset, DocumentDataset } from './dataset.ts';
import type { Day, Instant } from './day.ts';
import type { OrgSettings } from './settings.ts';

/** Everything that a projection may read of one organization, seen from one instant. */
export interface View {
  readonly asOf: Instant;
  readonly settings: OrgSettings;
  /** The platform's own identifier of the organization, once an answer has named it. */
  readonly orgId: string | undefined;
  /** The newest complete day of a dataset, undefined while none is known. */
  newestDay(dataset: DayDataset<unknown>): Day | undefined;
  /** A day's row; the idle row on a day known to have had none; undefined where the day is not known. */
  row<Row>(dataset: DayDataset<Row>, day: Day): Row | undefined;
  /** The known days with a row before `day`, newest first. */
  rowsBefore<Row>(dataset: DayDataset<Row>, day: Day): Iterable<Row>;
  documents<Document>(dataset: DocumentDataset<Document>): readonly Document[];
  /**
   * What `make` (one and the same function each time) makes of this view, made when it is first asked for: for
   * what several families start from.
   */
  once<Made>(make: (view: View) => Made): Made;
  /** How many days since the start of history are not known: not yet answered, or answered without a row that may be late. */
  uncoveredDays(dataset: DatasetName): number;
}
