import type { DatasetName, DayDataset, DocumentDataset } from './dataset.ts';
import type { Day } from './day.ts';
import type { DayRules } from './day-rules.ts';
import type { Family } from './family.ts';
import type { OrgSettings } from './settings.ts';
import type { Source } from './source.ts';

/** An inclusive range of days. */
export interface Window {
  readonly from: Day;
  readonly to: Day;
}

/** Names of the schedules. */
type ScheduleName = 'analytics' | 'users' | 'readiness' | 'wiki';

interface Fetched {
  /** Number of unusable rows, documents or fields. */
  readonly rejected: number;
  /** The platform's identifier of the organization, where the response contains it. */
  readonly orgId?: string | undefined;
  /** Notes about the response for the operator, without personal data. */
  readonly remarks: readonly string[];
}

export interface FetchedDays<Row> extends Fetched {
  readonly rows: ReadonlyMap<Day, Row>;
  /** Number of rows unusable as a whole. With any, a day without a row is unknown rather than idle. */
  readonly lost: number;
  /** Days that are not there yet: neither answered nor failed, until they are too old to come. */
  readonly unready?: ReadonlySet<Day>;
  /** Size of the responses in bytes, used to size the next window. */
  readonly bytes: number;
}

export interface FetchedDocuments<Document> extends Fetched {
  readonly documents: readonly Document[];
  /** The documents with unusable fields. */
  readonly damaged?: readonly Document[];
  /** Whether these are all documents of the platform: others were deleted there. */
  readonly complete: boolean;
}

/** Reads the days of a dataset from a platform's answers. */
export interface DayReader<Row> {
  /** Fetches the days of a window; without the organization's `settings`, people are not identified. */
  fetchDays(source: Source, window: Window, settings?: OrgSettings): Promise<FetchedDays<Row>>;
}

/** Reads the documents of a dataset from a platform's answers. */
export interface DocumentReader<Document> {
  fetchDocuments(source: Source): Promise<FetchedDocuments<Document>>;
}

// A platform has readers of many row types; a collector receives only the rows of its own dataset.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Reader = Partial<DayReader<any> & DocumentReader<any>>;

/** Loads the reader of a dataset on first use. */
export type Readers = { readonly [Name in DatasetName]?: () => Promise<Reader> };

/** The reader of a dataset, which its platform must have, with the method for its kind. */
export async function readerFor<Method extends keyof Reader>(
  { readers }: { readonly readers: Readers },
  { name }: { readonly name: DatasetName },
  method: Method,
): Promise<Required<Pick<Reader, Method>>> {
  const reader = await readers[name]?.();
  if (reader?.[method] === undefined) throw new Error(`the platform has no ${method} of ${name}`);
  return reader as Required<Pick<Reader, Method>>;
}

/** Fetch limits of a dataset whose days are expensive to fetch. */
export interface ExpensiveDataset {
  /** Maximum number of days per request. */
  readonly windowDays: number;
  /** Number of newest days fetched on the first run and again once a day. */
  readonly revisionDays: number;
  /** How many days back missed days are fetched. */
  readonly catchUpDays: number;
  /** Number of newest days that these settings need in any case, at most `catchUpDays`; 0 if none. */
  neededDays?(settings: OrgSettings): number;
}

/** The fetch limits of a dataset on a platform that revises its days for longer than others. */
export function limitsUnder(expensive: ExpensiveDataset, { revisedFor = 0 }: DayRules): ExpensiveDataset {
  return revisedFor > expensive.revisionDays ? { ...expensive, revisionDays: revisedFor } : expensive;
}

interface CollectorDeclaration {
  readonly name: string;
  readonly description: string;
  readonly enabledByDefault: boolean;
  /** In the order of the page. */
  readonly families: readonly Family[];
}

/** A collector of a dataset with a row per day. */
export interface DayCollector<Row> extends CollectorDeclaration {
  readonly schedule: ScheduleName;
  readonly dataset: DayDataset<Row>;
  /** Fetch limits, where days are expensive to fetch; without them all days of history are fetched. */
  readonly expensive?: ExpensiveDataset;
}

/** A collector of documents. */
export interface DocumentCollector<Document> extends CollectorDeclaration {
  /** Set where the platform lists only present documents, so that past days cannot be reconstructed. */
  readonly past?: 'unknown';
  readonly schedule: ScheduleName;
  readonly dataset: DocumentDataset<Document>;
}

/** A collector without requests of its own: its families are computed from the days of another one. */
export interface DerivedCollector<Row> extends CollectorDeclaration {
  /** The collector that fetches the days; if it is disabled, so is this one. */
  readonly derivesFrom: string;
  /** That collector's dataset. */
  readonly dataset: DayDataset<Row>;
}

// A list of collectors holds many row types; a collector receives only the rows that it fetched.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type FetchingCollector = DayCollector<any> | DocumentCollector<any>;
// biome-ignore lint/suspicious/noExplicitAny: as for FetchingCollector
export type Collector = FetchingCollector | DerivedCollector<any>;

/** The collectors without some of their metric families, by name; a collector that loses none stays the same object. */
export function withoutFamilies(
  collectors: readonly Collector[],
  excluded: ReadonlySet<string>,
): readonly Collector[] {
  return collectors.map((collector) => {
    const families = collector.families.filter(({ name }) => !excluded.has(name));
    return families.length === collector.families.length ? collector : { ...collector, families };
  });
}

/** A dataset, its name, or what is of one, such as a collector. */
type OfDataset = string | { readonly name: string } | { readonly dataset: { readonly name: string } };

/** The datasets, their names or the collectors that an organization's platform fills. */
export function filledOn<Any extends OfDataset>(
  all: readonly Any[],
  { fills }: Pick<OrgSettings, 'fills'>,
): readonly Any[] {
  if (fills === undefined) return all;
  return all.filter((one: OfDataset) => {
    if (typeof one === 'string') return fills.has(one);
    return fills.has('dataset' in one ? one.dataset.name : one.name);
  });
}

/** The names of the datasets that a platform fills. */
export function fillsOf({ readers }: { readonly readers: object }): ReadonlySet<string> {
  return new Set(Object.keys(readers));
}

/** Reports whether a collector sends requests, rather than being derived from another one. */
export function isFetching(collector: Collector): collector is FetchingCollector {
  return !('derivesFrom' in collector);
}

/** Reports whether a collector fetches a dataset with one row per day. */
// biome-ignore lint/suspicious/noExplicitAny: as for FetchingCollector
export function isDayCollector(collector: Collector): collector is DayCollector<any> {
  return isFetching(collector) && collector.dataset.kind === 'days';
}

/** The day dataset of a collector's families; undefined for a dataset of documents. */
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
