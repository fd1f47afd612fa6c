import * as z from 'zod';
import { type Day, dayOf } from '../../catalog/day.ts';
import { isObject } from '../../catalog/object.ts';
import {
  type ApiRequest,
  IncompleteListing,
  type Page,
  type Source,
  UnexpectedAnswer,
} from '../../catalog/source.ts';
import { apiContractOf, pathsIn } from '../api-contract.ts';
import { instant, requiredInstant } from '../fields.ts';
import { statusOf } from '../shared.ts';
import { salvage } from '../usable-row.ts';

/** The most rows of a page, of every listing. */
const PAGE_ROWS = '1000';

/** The statuses of a page whose cursor belongs to another query, or to data that has been replaced. */
const CURSOR_IS_GONE: readonly unknown[] = [400, 410];

/** The UTC day of an instant. */
export const dayOfInstant = requiredInstant.transform((at): Day => dayOf(at));

/** What a row is known to have, in texts of `pathsIn`. */
export interface Known {
  /** Paths that are not read, on purpose. */
  readonly unread: string;
  /** Paths of fields that are left out where there is nothing to count. */
  readonly optional?: string;
  /** Paths of fields that describe more than their day. */
  readonly beyondDay?: string;
  /** The member with the instant that a row is about; by default none says it. */
  readonly dated?: string;
}

/** A listing: where it is, how its rows are read, and what they are known to have. */
export type Listing<Row> = ReturnType<typeof listingOf<Row>>;

/** Declares a listing by the schema of its rows, and what else they are known to have. */
export function listingOf<Row>(
  path: string,
  schema: z.ZodType<Row>,
  { dated = '', unread, optional = '', beyondDay = '' }: Known,
) {
  return {
    path: `/v1/organizations/${path}`,
    schema: z.compile(schema),
    contract: apiContractOf({
      schema,
      unread: pathsIn(unread),
      optional: pathsIn(optional),
      beyondDay: pathsIn(beyondDay),
      whenOf: (sent) => sent[dated],
      dayOf: (sent) => String(sent[dated]).slice(0, 10),
    }),
  };
}

/** How a listing is asked for, and whether a row is one that was asked for, as all of them must be. */
type Asked<Row> = Pick<ApiRequest, 'endpoint' | 'query'> & { isAsked?(row: Row): boolean };

/**
 * Reads the rows of a listing, with the names of their unusable members; throws if it is incomplete. Where a cursor is refused,
 * the listing begins again, once.
 */
export async function readListing<Row>(source: Source, listing: Listing<Row>, asked: Asked<Row>) {
  const { path, schema, contract } = listing;
  const { endpoint, query, isAsked = () => true } = asked;
  for (let isAgain = false; ; isAgain = true) {
    const rows: { readonly row: Row; readonly faults: readonly string[] }[] = [];
    let [rejected, lost] = [0, 0];
    let last: ReturnType<typeof pageOf> | undefined;
    function read(body: unknown): Page {
      last = pageOf(body);
      return last;
    }
    function add(sent: unknown): void {
      const { row, rejected: unusable, members: faults } = salvage(schema, sent);
      rejected += unusable;
      if (row === undefined || !isAsked(row)) lost += 1;
      else rows.push({ row, faults });
    }
    try {
      const request = { endpoint, host: 'api', path, query: { ...query, limit: PAGE_ROWS } } as const;
      const { complete, end, pages, bytes } = await source.pages(
        { ...request, cursorParameter: 'page', read, idOf: () => undefined },
        (items) => {
          source.compare?.(contract, items);
          items.forEach(add);
        },
      );
      if (!complete) throw new IncompleteListing(path, end, pages);
      // What is unknown of a row can be its day, or its person.
      if (lost > 0) throw new IncompleteListing(path, 'rows', pages, rejected + lost);
      return { rows, rejected, bytes, refreshedAt: last?.refreshedAt };
    } catch (thrown) {
      if (isAgain || last === undefined || !CURSOR_IS_GONE.includes(statusOf(thrown))) throw thrown;
    }
  }
}

const paging = z.object({
  has_more: z.boolean().nullish(),
  next_page: z.string().nullish(),
  // Null where nothing was exported, and missing where nothing is exported.
  data_refreshed_at: z.union([z.null(), instant]),
});

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
