import type { Answer, Answering, ApiRequest, Endpoint, Row } from '../../../src/sandbox/types.ts';
import type { Faults } from './faults.ts';

/** A JSON body, read. */
type Body = Readonly<Record<string, unknown>>;

/** The body of an answer, parsed. */
export async function bodyOf(answer: Answer): Promise<Body> {
  let text = '';
  for await (const piece of answer.body) text += piece;
  return JSON.parse(text);
}

export function rowsOf(body: Body, name: string): readonly Row[] {
  const rows = body[name];
  return Array.isArray(rows) ? rows : [];
}

/** Asks for another page than requested, as faults of paging have it. */
export function otherPage(
  request: ApiRequest,
  endpoint: Endpoint,
  faults: Faults,
  answer: Answering,
): Promise<Answer> {
  const { searchParams } = request.url;
  const unlimited = faults.strikes('ignore-limit') !== undefined;
  const cap = Number(faults.strikes('limit-cap')?.detail ?? Number.POSITIVE_INFINITY);
  const url = new URL(request.url);
  const sent = { ...request, url };
  if (endpoint === 'users') {
    if (unlimited) return allUsers(sent, answer);
    const limit = Number(searchParams.get('limit') ?? 20);
    if (limit > cap) url.searchParams.set('limit', String(cap));
    return answer(sent);
  }
  if (endpoint !== 'readiness') return answer(request);
  const limit = Math.min(Number(searchParams.get('limit') ?? Number.POSITIVE_INFINITY), cap);
  if (unlimited) url.searchParams.delete('limit');
  else if (Number.isFinite(limit)) url.searchParams.set('limit', String(limit));
  const startsOver =
    faults.strikes('ignore-start-after') !== undefined || faults.strikes('endless-pages') !== undefined;
  if (startsOver) url.searchParams.delete('startAfter');
  return faults.strikes('oldest-first') === undefined ? answer(sent) : oldestFirst(sent, answer);
}

/** All users on one page. */
async function allUsers(request: ApiRequest, answer: Answering): Promise<Answer> {
  const { searchParams } = request.url;
  searchParams.set('limit', '100');
  const data: Row[] = [];
  for (;;) {
    const page = await answer({ ...request, url: new URL(request.url) });
    if (page.status !== 200) return page;
    const body = await bodyOf(page);
    data.push(...rowsOf(body, 'data'));
    const { has_more: more, next_cursor: next, ...meta } = body['meta'] as Row;
    if (more !== true)
      return { ...page, body: [JSON.stringify({ data, meta: { ...meta, has_more: false } })] };
    searchParams.set('cursor', String(next));
  }
}

async function oldestFirst(request: ApiRequest, answer: Answering): Promise<Answer> {
  const url = new URL(request.url);
  const startAfter = url.searchParams.get('startAfter');
  const limit = Number(url.searchParams.get('limit') ?? Number.POSITIVE_INFINITY);
  url.searchParams.delete('startAfter');
  url.searchParams.delete('limit');
  const all = await answer({ ...request, url });
  if (all.status !== 200) return all;
  const reports = rowsOf(await bodyOf(all), 'reports').toReversed();
  // Without a cursor, that is from 0.
  const from = reports.findIndex((report) => report['reportId'] === startAfter) + 1;
  return { ...all, body: [JSON.stringify({ reports: reports.slice(from, from + limit) })] };
}

/** Paging metadata of `/users` according to `repeated-cursor`, `null-cursor` and `odd-paging`. */
export function otherMetadata(meta: Row, cursor: string, faults: Faults): Row {
  const { has_more: _more, next_cursor: _next, ...rest } = meta;
  const more = pagingOf(meta, cursor, faults);
  const odd = faults.strikes('odd-paging');
  return { ...rest, ...(odd === undefined ? more : oddPaging(more, odd.detail)) };
}

function pagingOf({ next_cursor: next }: Row, cursor: string, faults: Faults): Row {
  if (faults.strikes('repeated-cursor') !== undefined) return { has_more: true, next_cursor: cursor || next };
  if (next !== undefined) return { has_more: true, next_cursor: next };
  const isNull = faults.strikes('null-cursor') !== undefined;
  return isNull ? { has_more: false, next_cursor: null } : { has_more: false };
}

/** Paging metadata of a wrong type. */
function oddPaging({ has_more: more, next_cursor: next }: Row, detail: string): Row {
  switch (detail) {
    case 'text':
      return { has_more: String(more), next_cursor: next };
    case 'number':
      return { has_more: Number(more), next_cursor: 7 };
    case 'list':
      return { has_more: more, next_cursor: [next ?? null] };
    case 'object':
      return { has_more: more, next_cursor: { id: next ?? null } };
    case 'null':
      return { has_more: null, next_cursor: null };
    default:
      return {};
  }
}
