import * as z from 'zod';
import type { ApiContract } from '../../catalog/api-contract.ts';
import type { DatasetName } from '../../catalog/dataset.ts';
import { type Day, dayOf } from '../../catalog/day.ts';
import { isObject } from '../../catalog/object.ts';
import { IncompleteListing, type Page, type Source, UnexpectedAnswer } from '../../catalog/source.ts';
import { instant, requiredInstant } from '../fields.ts';
import { statusOf } from '../shared.ts';
import { salvage } from '../usable-row.ts';

/** The most rows of a page, of every listing. */
const PAGE_ROWS = '1000';

/** The statuses of a page whose cursor belongs to another query, or to data that has been replaced. */
const CURSOR_IS_GONE: readonly unknown[] = [400, 410];

const paging = z.object({
  has_more: z.boolean().nullish(),
  next_page: z.string().nullish(),
  // Null where nothing was exported, and missing where nothing is exported.
  data_refreshed_at: z.union([z.null(), instant]),
});

/** A listing, and what its rows are read into. */
export interface Listing<Row, Sum> {
  readonly endpoint: DatasetName;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly schema: z.ZodType<Row>;
  readonly contract: ApiContract;
  /** Begins with nothing: a listing may have to begin again. */
  begin(): Sum;
  /** Adds a row, with the names of its unusable members; false if the row is not one that was asked for. */
  add(sum: Sum, row: Row, faults: readonly string[]): boolean;
}

/** Reads a listing to its end; throws if it is incomplete. Where a cursor is refused, the listing begins again, once. */
export async function readListing<Row, Sum>(source: Source, listing: Listing<Row, Sum>) {
  const { endpoint, path, query, schema, contract } = listing;
  for (let isAgain = false; ; isAgain = true) {
    const sum = listing.begin();
    let [rejected, lost] = [0, 0];
    let last: ReturnType<typeof pageOf> | undefined;
    function read(body: unknown): Page {
      last = pageOf(body);
      return last;
    }
    function add(sent: unknown): void {
      const { row, rejected: unusable, members } = salvage(schema, sent);
      rejected += unusable;
      if (row === undefined || !listing.add(sum, row, members)) lost += 1;
    }
    try {
      const request = { endpoint, host: 'api', path, query: { ...query, limit: PAGE_ROWS } } as const;
      const { complete, end, pages, bytes } = await source.pages(
        { ...request, cursorParameter: 'page', read, idOf: () => undefined },
        (rows) => {
          source.compare?.(contract, rows);
          rows.forEach(add);
        },
      );
      if (!complete) throw new IncompleteListing(path, end, pages);
      // What is unknown of a row can be its day, or its person.
      if (lost > 0) throw new IncompleteListing(path, 'rows', pages, rejected + lost);
      return { sum, rejected, bytes, refreshedAt: last?.refreshedAt };
    } catch (thrown) {
      if (isAgain || last === undefined || !CURSOR_IS_GONE.includes(statusOf(thrown))) throw thrown;
    }
  }
}

/** Summaries were in a member of their own before they were in `data`. */
function pageOf(body: unknown) {
  const { data, summaries = data }: Readonly<Record<string, unknown>> = isObject(body) ? body : {};
  if (!Array.isArray(summaries)) throw new UnexpectedAnswer('an object with an array data', body);
  const said = paging.safeParse(body);
  if (!said.success)
    throw new UnexpectedAnswer('has_more, next_page and data_refreshed_at as documented', body);
  const { has_more: hasMore, next_page: next, data_refreshed_at: refreshedAt } = said.data;
  if (hasMore === true && !next) throw new UnexpectedAnswer('a next_page where has_more is true', next);
  const items: readonly unknown[] = summaries;
  return { items, next: hasMore === false ? undefined : next || undefined, refreshedAt };
}

/** The UTC day of an instant. */
export const dayOfInstant = requiredInstant.transform((at): Day => dayOf(at));

type Sent = Readonly<Record<string, unknown>>;

/** How a contract finds the day of an element, which is that of an instant. */
export function datedBy(member: string) {
  return { whenOf: (sent: Sent) => sent[member], dayOf: (sent: Sent) => String(sent[member]).slice(0, 10) };
}

/** How a contract reads elements that do not say of which day they are. */
export const undated = { whenOf: () => undefined, dayOf: () => undefined };
