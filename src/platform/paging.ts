import { createHash } from 'node:crypto';
import {
  type ApiAnswer,
  type ApiRequest,
  type PagedRequest,
  type PagingEnd,
  type PagingOutcome,
  takeBody,
  UnexpectedAnswer,
} from '../catalog/source.ts';

/** Maximum number of items of one listing, and of characters of a cursor, which has to fit into a URL. */
const MAX_ITEMS = 1_000_000;
const MAX_CURSOR = 4_096;
/** Longer identities are remembered by their digest. */
const LONG_ID = 64;

/**
 * Reads a listing page by page. It ends when the server says so (no items, or no next cursor) and, because some servers
 * ignore cursors, when a cursor repeats, when a page has nothing new, or after `maxPages` or a million items. A page
 * with something new never ends it: a listing may shift while it is read. Items without identity count as new.
 *
 * The pages of a known listing are not parsed as long as they come again byte by byte. Once one differs, those before it
 * are parsed as well, and `pause` is awaited between them.
 */
export async function walkPages(
  get: (request: ApiRequest) => Promise<ApiAnswer>,
  request: PagedRequest,
  onItems: (items: readonly unknown[]) => void,
  maxPages: number,
  pause: () => Promise<void> = async () => undefined,
): Promise<PagingOutcome> {
  const { cursorParameter, read, idOf, known, query, ...rest } = request;
  const seen = new Set<string>();
  const cursors = new Set<string>();
  const taken: { readonly digest: string; readonly next: string | undefined }[] = [];
  /** That of the next page; the first one has none. */
  let cursor: string | undefined;
  let bytes = 0;
  let pages = 0;

  function ask(digest?: string): Promise<ApiAnswer> {
    const page = cursor === undefined ? query : { ...query, [cursorParameter]: cursor };
    return get({ ...rest, query: page, ...(known && { recognize: { digest } }) });
  }

  /** Passes on the items of a page, and returns how the listing ends with it, if it does. */
  function take(answer: ApiAnswer): PagingOutcome | undefined {
    pages += 1;
    bytes += answer.bytes;
    const page = read(takeBody(answer));
    if ((page.next?.length ?? 0) > MAX_CURSOR) {
      throw new UnexpectedAnswer(`a cursor of at most ${MAX_CURSOR} characters`, page.next);
    }
    if (answer.digest !== undefined) taken.push({ digest: answer.digest, next: page.next });
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
      // An empty page with a next cursor contradicts itself: it does not prove that anything was removed.
      const complete = end === 'last' || (end === 'empty' && page.next === undefined);
      return { end, complete, pages, bytes, ...(complete && known && { listing: { end, pages: taken } }) };
    }
    if (page.next !== undefined) cursors.add(page.next);
    cursor = page.next;
    return undefined;
  }

  const recognized: ApiAnswer[] = [];
  let other: { readonly cursor: string | undefined; readonly answer: ApiAnswer } | undefined;
  for (const { digest, next } of known?.pages ?? []) {
    const answer = await ask(digest);
    if (answer.unparsed === undefined) {
      other = { cursor, answer };
      break;
    }
    recognized.push(answer);
    cursor = next;
  }
  if (known !== undefined && recognized.length > 0 && other === undefined) {
    const sum = recognized.reduce((total, answer) => total + answer.bytes, 0);
    return {
      end: known.end,
      complete: true,
      pages: recognized.length,
      bytes: sum,
      listing: known,
      isKnown: true,
    };
  }
  cursor = undefined;
  for (const answer of recognized.splice(0)) {
    await pause();
    const outcome = take(answer);
    if (outcome !== undefined) return outcome;
  }
  // The pages say where the next one begins. If the known listing said otherwise, this answer is another page.
  let outcome = other?.cursor === cursor && other !== undefined ? take(other.answer) : undefined;
  // Without a variable for an answer, which would keep the page in memory until the next one is there.
  while (outcome === undefined) outcome = take(await ask());
  return outcome;
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
