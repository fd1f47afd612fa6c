import type { FetchedDays, FetchedDocuments, Window } from './collector.ts';
import type { DatasetName } from './dataset.ts';
import type { Day } from './day.ts';
import type { PlatformMoney } from './money.ts';
import type { OrgSettings } from './settings.ts';
import type { ApiRequest, Source } from './source.ts';

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

/** Where the members of a dataset's stored rows are read from. */
export interface ApiFields {
  readonly path: string;
  /** What is before a field: the list whose elements have it. */
  readonly element: string;
  /** The field of each member of a row, or of the entries of a list of it. */
  readonly members: Readonly<Record<string, string>>;
}

/** One vendor: what it has, how it is asked, and what its answers mean. */
export interface Platform {
  /** The value of `orgs[].platform`. */
  readonly name: string;
  /** What a person reads. */
  readonly title: string;
  readonly money: PlatformMoney;
  /** Loads the reader of a dataset on first use. What a platform lacks has none: no job, no series, nothing uncovered. */
  readonly readers: { readonly [Name in DatasetName]?: () => Promise<Reader> };
  readonly fields: { readonly [Name in DatasetName]?: ApiFields };
  /** The identifier of the organization that an answer is about, as a label value; undefined if it names none. */
  orgIdIn(endpoint: DatasetName, body: unknown): string | undefined;
  /** The smallest request about a day whose answer names the organization. */
  probe(endpoint: DatasetName, day: Day): ApiRequest;
}

/** The reader of a dataset, which its platform must have, with the method for its kind. */
export async function readerFor<Method extends keyof Reader>(
  { readers }: Pick<Platform, 'readers'>,
  { name }: { readonly name: DatasetName },
  method: Method,
): Promise<Required<Pick<Reader, Method>>> {
  const reader = await readers[name]?.();
  if (reader?.[method] === undefined) throw new Error(`the platform has no ${method} of ${name}`);
  return reader as Required<Pick<Reader, Method>>;
}
