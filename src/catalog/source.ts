import type { ApiContract } from './api-contract.ts';
import type { DatasetName } from './dataset.ts';

/** One GET of the platform's API. */
export interface ApiRequest {
  /** Value of the `endpoint` label of the request metrics. */
  readonly endpoint: DatasetName;
  /** `api`: the main API host; `app`: the web-app host. */
  readonly host: 'api' | 'app';
  /** Absolute path without a query. */
  readonly path: string;
  /** Other paths of the same resource, for a platform that does not have this one. */
  readonly otherPaths?: readonly string[] | undefined;
  readonly query: Readonly<Record<string, string>>;
  /**
   * `throttled`: retries only when the platform says when to; the caller handles other failures. By default all
   * transient failures are retried.
   */
  readonly retryOn?: 'throttled' | undefined;
  /** Whether a 204 says that the data is not there yet; by default it is a failure, as any answer without a body. */
  readonly mayBeUnready?: boolean | undefined;
  /** Aborts the request; nothing is counted afterwards. */
  readonly signal?: AbortSignal | undefined;
}

/** A parsed JSON body and its size on arrival in bytes, after decompression. */
export interface ApiAnswer {
  /** Undefined if the answer `isUnready`. */
  readonly body: unknown;
  /** Whether the data is not there yet, which is neither a failure nor a zero. */
  readonly isUnready?: boolean | undefined;
  readonly bytes: number;
  /** A header of the answer. */
  readonly header?: ((name: string) => string | undefined) | undefined;
  /** Fingerprint of the API key of the request; the key itself stays inside the client. */
  readonly key?: string | undefined;
  /** The path of the redirect's target that answered, as a request would name it. */
  readonly movedTo?: string | undefined;
  /** Gives back its memory, for which others may wait; the client calls it. */
  release?(): void;
}

/** A page of a listing: its items, and the cursor of the next page if there is one. */
export interface Page {
  readonly items: readonly unknown[];
  readonly next: string | undefined;
}

/** A paged listing. */
export interface PagedRequest extends ApiRequest {
  readonly cursorParameter: string;
  /** Reads a body as a page; throws if it has another shape. */
  read(body: unknown): Page;
  /** The identity of an item, if it has one. */
  idOf(item: unknown): string | undefined;
}

/**
 * Why paging ended: an `empty` page, the server declared the `last` page, a repeated cursor, a page with only items
 * already seen, or the page limit.
 */
export type PagingEnd = 'empty' | 'last' | 'repeated-cursor' | 'repeated-items' | 'page-cap';

export interface PagingOutcome {
  readonly end: PagingEnd;
  /** Whether the server declared that nothing follows. */
  readonly complete: boolean;
  readonly pages: number;
  readonly bytes: number;
}

/** A body of one JSON value a line, or an answer whose links lead to such bodies. */
export interface RowsRequest<Sum> extends ApiRequest {
  /**
   * Reads the links from the answer, which lead to the bodies; throws if it has another shape. Without it, the answer itself is the
   * body.
   */
  linksOf?(body: unknown): readonly string[];
  /** Whether a body may be without a row, as a part of several may be; by default it is a failure. */
  readonly mayBeEmpty?: boolean | undefined;
  /** Begins with nothing: each attempt to read a body begins again. */
  start(): Sum;
  /** Adds a row, within a few milliseconds. What it throws ends the reading, and is thrown. */
  add(sum: Sum, row: unknown): void;
}

/** What bodies of rows were read into, one by one, and the size of all in bytes, after decompression. */
export interface RowsAnswer<Sum> {
  readonly sums: readonly Sum[];
  readonly bytes: number;
}

/** What an organization is configured with; the address is the configured one, or the platform's own. */
export interface ConfiguredOrg {
  readonly baseUrl: string;
  readonly account?: string | undefined;
  readonly kind?: string | undefined;
  readonly orgId?: string | undefined;
}

/** Where an organization is on its platform: one object for all sources of a connection. */
export interface Place extends ConfiguredOrg {
  /** What readers of several datasets share, by names of their own. */
  readonly shared: Map<string, unknown>;
  /** Monotonic, in milliseconds. */
  elapsed(): number;
}

/** The platform as a collector sees it; failures throw a `PlatformError`. */
export interface Source {
  readonly place?: Place | undefined;
  get(request: ApiRequest): Promise<ApiAnswer>;
  /**
   * Reads bodies of one JSON value a line, of which one line at a time is in memory; undefined if they are not there yet, where
   * the request says that it may be so. One that ends too early is a failure of all. Links are asked without the key.
   */
  lines<Sum>(request: RowsRequest<Sum>): Promise<RowsAnswer<Sum> | undefined>;
  /** Walks a listing and passes on the new items of each page, some at a time. */
  pages(request: PagedRequest, onItems: (items: readonly unknown[]) => void): Promise<PagingOutcome>;
  /** Runs long computations in slices, so that they do not block the event loop. */
  inSlices<Result>(work: Generator<unknown, Result>): Promise<Result>;
  /** Gets the elements of an answer, before anything changes them, to compare them with what the API is known to send. */
  compare?(contract: ApiContract, elements: readonly unknown[]): void;
}

/** A response of an unexpected shape; `message` is one short line that contains none of the response. */
export class UnexpectedAnswer extends Error {
  constructor(expected: string, came: unknown) {
    super(`expected ${expected}, got ${kindOf(came)}`);
    this.name = 'UnexpectedAnswer';
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'another object';
  return `a ${typeof value}`;
}

/** Why a listing is incomplete: how paging ended, or unusable `rows`. */
type ListingFault = PagingEnd | 'rows';

/** An incomplete listing; none of it may be used. */
export class IncompleteListing extends Error {
  readonly end: ListingFault;
  /** Number of unusable rows and fields. */
  readonly rejected: number;

  constructor(what: string, end: ListingFault, pages: number, rejected = 0) {
    super(`incomplete listing of ${what}: ${ENDS[end]} after ${pages} ${pages === 1 ? 'page' : 'pages'}`);
    this.name = 'IncompleteListing';
    this.end = end;
    this.rejected = rejected;
  }
}

const ENDS: Readonly<Record<ListingFault, string>> = {
  empty: 'an empty page with a next cursor',
  last: 'the last page',
  'repeated-cursor': 'a repeated cursor',
  'repeated-items': 'a page without new items',
  'page-cap': 'too many pages',
  rows: 'rows without a usable identifier or of another day',
};
