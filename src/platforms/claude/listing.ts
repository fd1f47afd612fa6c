import * as z from 'zod';
import type { DatasetName } from '../../catalog/dataset.ts';
import { type Day, dayOf } from '../../catalog/day.ts';
import { isObject } from '../../catalog/object.ts';
import { IncompleteListing, type Page, type Source, UnexpectedAnswer } from '../../catalog/source.ts';
import { requiredInstant } from '../fields.ts';
import { statusOf } from '../shared.ts';

/** The most rows of a page, of every listing. */
const PAGE_ROWS = '1000';

/** The statuses of a page whose cursor belongs to another query, or to data that has been replaced. */
const CURSOR_IS_GONE: readonly unknown[] = [400, 410];

const paging = z.object({ has_more: z.boolean().nullish(), next_page: z.string().nullish() });

/** What a listing is read into, row by row. */
export interface ListingRequest<Sum> {
  readonly endpoint: DatasetName;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Begins with nothing: a listing may have to begin again. */
  begin(): Sum;
  add(sum: Sum, rows: readonly unknown[]): void;
}

/** What was read of a listing, its last page, and the size of all pages in bytes. */
interface Listing<Sum> {
  readonly sum: Sum;
  readonly last: Readonly<Record<string, unknown>>;
  readonly pages: number;
  readonly bytes: number;
}

/** Reads a listing to its end; throws if it is incomplete. Where a cursor is refused, the listing begins again, once. */
export async function readListing<Sum>(
  source: Source,
  { endpoint, path, query, begin, add }: ListingRequest<Sum>,
): Promise<Listing<Sum>> {
  for (let isAgain = false; ; isAgain = true) {
    const sum = begin();
    let last: Readonly<Record<string, unknown>> | undefined;
    function read(body: unknown): Page {
      const page = pageOf(body);
      last = body as Readonly<Record<string, unknown>>;
      return page;
    }
    try {
      const request = { endpoint, host: 'api', path, query: { ...query, limit: PAGE_ROWS } } as const;
      const { complete, end, pages, bytes } = await source.pages(
        { ...request, cursorParameter: 'page', read, idOf: () => undefined },
        (rows) => add(sum, rows),
      );
      if (!complete) throw new IncompleteListing(path, end, pages);
      return { sum, last: last ?? {}, pages, bytes };
    } catch (thrown) {
      if (isAgain || last === undefined || !CURSOR_IS_GONE.includes(statusOf(thrown))) throw thrown;
    }
  }
}

/** Summaries were in a member of their own before they were in `data`. */
function pageOf(body: unknown): Page {
  const { data, summaries = data }: Readonly<Record<string, unknown>> = isObject(body) ? body : {};
  if (!Array.isArray(summaries)) throw new UnexpectedAnswer('an object with an array data', body);
  const said = paging.safeParse(body);
  if (!said.success) throw new UnexpectedAnswer('has_more as true or false and next_page as text', body);
  const { has_more: hasMore, next_page: next } = said.data;
  if (hasMore === true && !next) throw new UnexpectedAnswer('a next_page where has_more is true', next);
  return { items: summaries, next: hasMore === false ? undefined : next || undefined };
}

/** The UTC day of an instant. */
export const dayOfInstant = requiredInstant.transform((at): Day => dayOf(at));
