import { createHash } from 'node:crypto';
import {
  type ApiAnswer,
  type ApiRequest,
  type PagedRequest,
  type PagingEnd,
  type PagingOutcome,
  UnexpectedAnswer,
} from '../catalog/source.ts';
import type { Slices } from '../work/slices.ts';

/** Maximum number of items of one listing, and of characters of a cursor, which has to fit into a URL. */
const MAX_ITEMS = 1_000_000;
const MAX_CURSOR = 4_096;
/** The number of items passed on per slice: each takes up to a millisecond to validate. */
const AT_ONCE = 5;
/** An identity with more characters is remembered by its digest. */
const LONG_ID = 64;

/**
 * Reads a listing page by page. It ends when the server says so (no items, or no next cursor) and, because some servers
 * ignore cursors, when a cursor repeats, when a page has nothing new, or after `maxPages` or a million items. A page
 * with something new never ends it: a listing may shift while it is read. Items without identity count as new.
 */
export async function walkPages(
  get: (request: ApiRequest) => Promise<ApiAnswer>,
  request: PagedRequest,
  onItems: (items: readonly unknown[]) => void,
  { maxPages, slices }: { readonly maxPages: number; readonly slices: Pick<Slices, 'next'> },
): Promise<PagingOutcome> {
  const { cursorParameter, read, idOf, query, ...rest } = request;
  const seen = new Set<string>();
  const cursors = new Set<string>();
  /** The cursor of the next page; undefined for the first page. */
  let cursor: string | undefined;
  let bytes = 0;
  let pages = 0;
  let items = 0;

  /** Passes on the items of a page, and returns how the listing ends with it, if it does. */
  async function take(answer: ApiAnswer): Promise<PagingOutcome | undefined> {
    pages += 1;
    bytes += answer.bytes;
    const page = read(answer.body);
    if ((page.next?.length ?? 0) > MAX_CURSOR) {
      throw new UnexpectedAnswer(`a cursor of at most ${MAX_CURSOR} characters`, page.next);
    }
    const fresh = page.items.filter((item) => isNew(idOf(item), seen));
    items += fresh.length;
    for (let start = 0; start < fresh.length; start += AT_ONCE) {
      await slices.next();
      onItems(fresh.slice(start, start + AT_ONCE));
    }
    const isFull = pages >= maxPages || items > MAX_ITEMS;
    const end = endOf(page.items.length, fresh.length, page.next, cursors, isFull);
    if (end !== undefined) {
      // An empty page with a next cursor contradicts itself: it does not prove that anything was removed.
      const complete = end === 'last' || (end === 'empty' && page.next === undefined);
      return { end, complete, pages, bytes };
    }
    if (page.next !== undefined) cursors.add(page.next);
    cursor = page.next;
    return undefined;
  }

  for (;;) {
    const page = cursor === undefined ? query : { ...query, [cursorParameter]: cursor };
    const answer = await get({ ...rest, query: page });
    const outcome = await take(answer).finally(() => answer.release?.());
    if (outcome !== undefined) return outcome;
  }
}

function isNew(id: string | undefined, seen: Set<string>): boolean {
  if (id === undefined) return true;
  const known = id.length > LONG_ID ? createHash('sha256').update(id).digest('base64') : id;
  const before = seen.size;
  return seen.add(known).size > before;
}

function endOf(
  items: number,
  fresh: number,
  next: string | undefined,
  cursors: ReadonlySet<string>,
  isFull: boolean,
): PagingEnd | undefined {
  if (items === 0) return 'empty';
  if (next === undefined) return 'last';
  if (cursors.has(next)) return 'repeated-cursor';
  if (fresh === 0) return 'repeated-items';
  return isFull ? 'page-cap' : undefined;
}
