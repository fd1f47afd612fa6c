import { hex, mix, textSeed } from '../random.ts';
import type { Row } from '../types.ts';
import { type Call, Refused } from './call.ts';

const LIFETIME_MS = 60 * 60_000;
const LARGEST = 1000;

/** A page of rows with the cursor of the next one, which is good for an hour and for the same query only. */
export function pageOf(rows: readonly Row[], { account, query, now }: Call, path: string, usual: number) {
  const limit = Number(query.get('limit') ?? usual);
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= LARGEST))
    throw new Refused(400, `limit: expected a whole number from 1 to ${LARGEST}`);
  const asked = [...query].filter(([name]) => name !== 'page' && name !== 'limit').sort();
  const bound = textSeed(JSON.stringify([account.name, path, asked]));
  const cursor = (start: number, issued: number) => {
    const signature = hex(mix(bound, textSeed(`${start}.${issued}`)));
    return `page_${Buffer.from(`${start}.${issued}.${signature}`).toString('base64url')}`;
  };
  const page = query.get('page');
  const [start = 0, issued = now] =
    page === null ? [] : Buffer.from(page.slice(5), 'base64url').toString().split('.').map(Number);
  if (page !== null && page !== cursor(start, issued))
    throw new Refused(400, 'page: cursor does not match current query parameters');
  if (now - issued >= LIFETIME_MS)
    throw new Refused(410, 'page: the cursor has expired; pagination must restart from the first page');
  const end = start + limit;
  const hasMore = end < rows.length;
  return { data: rows.slice(start, end), has_more: hasMore, next_page: hasMore ? cursor(end, now) : null };
}
