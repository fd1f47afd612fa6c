import type { DatasetName } from './dataset.ts';

/** One GET of the platform's API. */
export interface ApiRequest {
  /** The `endpoint` label of the request metrics. */
  readonly endpoint: DatasetName;
  /** `api`: the main API host; `app`: the web-app host. */
  readonly host: 'api' | 'app';
  /** Absolute path without a query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /**
   * `throttled`: tried again only where the platform says when; any other failure is left to the caller, who asks
   * otherwise. Tried again for every failure that may pass where not given.
   */
  readonly retryOn?: 'throttled' | undefined;
  /** Ends the request; from then on nothing of it is counted. */
  readonly signal?: AbortSignal | undefined;
}

/** A parsed JSON body and its size on arrival in bytes, after decompression. */
export interface ApiAnswer {
  readonly body: unknown;
  readonly bytes: number;
  /** The fingerprint of the key with which it was asked for; the key itself is known to nobody but the client. */
  readonly key?: string | undefined;
}

/** What a page holds: its items, and the cursor of the next page where the server names or implies one. */
export interface Page {
  readonly items: readonly unknown[];
  readonly next: string | undefined;
}

/** A listing that comes in pages. */
export interface PagedRequest extends ApiRequest {
  readonly cursorParameter: string;
  /** Splits a body into a page; throws where the body has not the shape of one. */
  read(body: unknown): Page;
  /** An item's identity, undefined where it has none. */
  idOf(item: unknown): string | undefined;
}

/**
 * Why a listing ended: an `empty` page, the server said it was the `last`, a cursor came twice, a page brought
 * only items already seen, or the page cap was met.
 */
export type PagingEnd = 'empty' | 'last' | 'repeated-cursor' | 'repeated-items' | 'page-cap';

export interface PagingOutcome {
  readonly end: PagingEnd;
  /** True where the server itself said that nothing follows. */
  readonly complete: boolean;
  readonly pages: number;
  readonly bytes: number;
}

/** The platform as a collector sees it; failures throw a `PlatformError`. */
export interface Source {
  get(request: ApiRequest): Promise<ApiAnswer>;
  /** Walks a listing and hands over each page's items that were not seen before. */
  pages(request: PagedRequest, onItems: (items: readonly unknown[]) => void): Promise<PagingOutcome>;
  /** Runs long computations in slices, so that they do not block the event loop. */
  inSlices<Result>(work: Generator<unknown, Result>): Promise<Result>;
}

/** An answer that has not the shape its endpoint promises; `message` is one short line without any content of it. */
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

/** Why a listing is not whole: how its walk ended, or that `rows` of it were not usable. */
type ListingFault = PagingEnd | 'rows';

/** A listing that did not come whole: nothing of it may be used. */
export class IncompleteListing extends Error {
  readonly end: ListingFault;
  /** How many rows and fields of it were not usable. */
  readonly rejected: number;

  constructor(what: string, end: ListingFault, pages: number, rejected = 0) {
    super(
      `the listing of ${what} is not whole: ${ENDS[end]} after ${pages} ${pages === 1 ? 'page' : 'pages'}`,
    );
    this.name = 'IncompleteListing';
    this.end = end;
    this.rejected = rejected;
  }
}

const ENDS: Readonly<Record<ListingFault, string>> = {
  empty: 'an empty page that names a next one',
  last: 'the end',
  'repeated-cursor': 'a cursor came twice',
  'repeated-items': 'a page brought nothing new',
  'page-cap': 'there are too many pages',
  rows: 'rows without a usable identifier or of another day',
};
