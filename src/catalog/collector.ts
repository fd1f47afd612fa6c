import type { DatasetName, DayDataset, DocumentDataset } from './dataset.ts';
import type { Day } from './day.ts';
import type { Family } from './family.ts';
import type { OrgSettings } from './settings.ts';
import type { Source } from './source.ts';

/** An inclusive range of days. */
export interface Window {
  readonly from: Day;
  readonly to: Day;
}

/** The schedules of which a collector follows one. */
export type ScheduleName = 'analytics' | 'users' | 'readiness' | 'wiki';

interface Fetched {
  /** Rows, documents or fields of them that were unusable. */
  readonly rejected: number;
  /** The platform's identifier of the organization, where the answer names it. */
  readonly orgId?: string | undefined;
  /** What an operator should hear about the answer, in plain words without any data of people. */
  readonly remarks: readonly string[];
}

export interface FetchedDays<Row> extends Fetched {
  readonly rows: ReadonlyMap<Day, Row>;
  /** Whole rows that were unusable: a day without a row may be one of theirs, so it is not known to have none. */
  readonly lost: number;
  /** Size of the answers, in bytes, for sizing the next window. */
  readonly bytes: number;
}

export interface FetchedDocuments<Document> extends Fetched {
  readonly documents: readonly Document[];
  /** Those among them of which something was not usable. */
  readonly damaged?: readonly Document[];
  /** Whether documents that are not among these are gone from the platform. */
  readonly complete: boolean;
}

/** Fetch limits of a dataset whose days are expensive to fetch. */
export interface ExpensiveDataset {
  /** Maximum number of days per request. */
  readonly windowDays: number;
  /** Number of newest days fetched on the first run and again once a day. */
  readonly revisionDays: number;
  /** How many days back missed days are fetched. */
  readonly catchUpDays: number;
}

interface CollectorDeclaration {
  readonly name: string;
  readonly description: string;
  readonly enabledByDefault: boolean;
  readonly families: readonly Family[];
}

/** A collector of a dataset with a row per day. */
export interface DayCollector<Row> extends CollectorDeclaration {
  readonly schedule: ScheduleName;
  readonly dataset: DayDataset<Row>;
  /** Fetch limits, where days are expensive to fetch; without them all days of history are fetched. */
  readonly expensive?: ExpensiveDataset;
  /** Asks for a window; `settings` are those of the organization, and without them nobody is told apart. */
  fetch(source: Source, window: Window, settings?: OrgSettings): Promise<FetchedDays<Row>>;
}

/** A collector of documents. */
export interface DocumentCollector<Document> extends CollectorDeclaration {
  /** Where the platform lists only the present documents: what it showed on a past day cannot be told. */
  readonly past?: 'unknown';
  readonly schedule: ScheduleName;
  readonly dataset: DocumentDataset<Document>;
  fetch(source: Source): Promise<FetchedDocuments<Document>>;
}

/** A collector that asks the platform nothing: its families are computed from the days of another one. */
export interface DerivedCollector<Row> extends CollectorDeclaration {
  /** The collector whose days these are; where that one does not run, neither does this one. */
  readonly derivesFrom: string;
  /** That collector's dataset. */
  readonly dataset: DayDataset<Row>;
}

// A list of collectors holds many row types; what one fetches is only ever handed back to itself.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type FetchingCollector = DayCollector<any> | DocumentCollector<any>;
// biome-ignore lint/suspicious/noExplicitAny: as for FetchingCollector
export type Collector = FetchingCollector | DerivedCollector<any>;

/** Whether a collector asks the platform, rather than computing from what another one has asked. */
export function isFetching(collector: Collector): collector is FetchingCollector {
  return 'fetch' in collector;
}

/** Whether a collector fetches a dataset with one row per day. */
// biome-ignore lint/suspicious/noExplicitAny: as for FetchingCollector
export function isDayCollector(collector: Collector): collector is DayCollector<any> {
  return isFetching(collector) && collector.dataset.kind === 'days';
}

/** The dataset of days that a collector's families describe, undefined where it is one of documents. */
export function dayDatasetOf(collector: Collector): DayDataset<unknown> | undefined {
  return collector.dataset.kind === 'days' ? collector.dataset : undefined;
}

/** Fetch limits of expensive datasets, by dataset. */
export function expensiveDatasets(
  collectors: readonly Collector[],
): ReadonlyMap<DatasetName, ExpensiveDataset> {
  const pairs = collectors
    .filter(isDayCollector)
    .map(({ dataset, expensive }) => [dataset.name, expensive] as const);
  return new Map(pairs.flatMap(([name, expensive]) => (expensive === undefined ? [] : [[name, expensive]])));
}
