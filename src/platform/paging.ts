import { createHash } from 'node:crypto';
import {
  type ApiAnswer,
  type ApiRequest,
  type PagedRequest,
  type PagingEnd,
  type PagingOutcome,
  UnexpectedAnswer,
} from '../catalog/source.ts';

/** The most items of one listing, and the most characters of a cursor: it has to fit into an address. */
const MAX_ITEMS = 1_000_000;
const MAX_CURSOR = 4_096;
/** An identity that is longer is remembered by its digest. */
const LONG_ID = 64;

/**
 * Walks a listing page by page. It ends where the server says so (no items, or no next cursor) and, since
 * servers exist that ignore cursors, where a cursor comes twice, a page brings nothing new, or after `maxPages` or a
 * million items.
 * A page with something new goes on: a listing may shift while it is read. Items without identity count as new.
 */
export async function walkPages(
  get: (request: ApiRequest) => Promise<ApiAnswer>,
  request: PagedRequest,
  onItems: (items: readonly unknown[]) => void,
  maxPages: number,
): Promise<PagingOutcome> {
  const { cursorParameter, read, idOf, query: firstQuery, ...rest } = request;
  const seen = new Set<string>();
  const cursors = new Set<string>();
  let query = firstQuery;
  let bytes = 0;
  for (let pages = 1; ; pages += 1) {
    const answer = await get({ ...rest, query });
    bytes += answer.bytes;
    const page = read(answer.body);
    if ((page.next?.length ?? 0) > MAX_CURSOR) {
      throw new UnexpectedAnswer(`a cursor of at most ${MAX_CURSOR} characters`, page.next);
    }
    const fresh = page.items.filter((item) => isNew(idOf(item), seen));
    if (fresh.length > 0) onItems(fresh);
    const end = endOf(
      page.items.length,
      fresh.length,
      page.next,
      cursors,
      pages >= maxPages || seen.size > MAX_ITEMS,
    );
    if (end !== undefined) {
      // An empty page that still names a successor contradicts itself: nothing is proven gone by it.
      const complete = end === 'last' || (end === 'empty' && page.next === undefined);
      return { end, complete, pages, bytes };
    }
    if (page.next === undefined) return { end: 'last', complete: true, pages, bytes };
    cursors.add(page.next);
    query = { ...firstQuery, [cursorParameter]: page.next };
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
