import { describe, expect, test } from 'vitest';
import { addDays } from '../../../src/catalog/day.ts';
import { IncompleteListing } from '../../../src/catalog/source.ts';
import { usersCollector } from '../../../src/collectors/users/collector.ts';
import { fetchDays } from '../../support/readers.ts';
import { DAY } from '../fakes.ts';
import { createPagedSource, pageOf, person } from './people.ts';

const window = { from: DAY, to: DAY };
const PAGES = 5;

/** Five pages of two people; `change` may replace the body of a page. */
function fivePages(change: (page: number, body: unknown) => unknown = (_, body) => body) {
  return createPagedSource((cursor) => {
    const page = cursor === undefined ? 0 : Number(cursor.slice(1)) + 1;
    const people = [person(`p${page}a`, { billable_tokens: 1 }), person(`p${page}b`, { billable_tokens: 1 })];
    return change(page, pageOf(people, page + 1 < PAGES ? `c${page}` : undefined));
  });
}

async function creditsOf(source: ReturnType<typeof createPagedSource>) {
  const { rows } = await fetchDays(usersCollector, source, window);
  return rows.get(DAY)?.credits;
}

describe('the listing of people', () => {
  test('is asked for one day, a hundred people at a time, by the cursor that each page names', async () => {
    const source = fivePages();
    expect(await creditsOf(source)).toBe(10);
    expect(source.requests).toHaveLength(PAGES);
    expect(source.requests[1]).toEqual({
      endpoint: 'users',
      host: 'api',
      path: '/api/v1/analytics/users',
      query: { startDate: DAY, endDate: DAY, limit: '100', cursor: 'c0' },
    });
  });

  test('counts a person on two pages once', async () => {
    const twice = person('p0a', { billable_tokens: 1 });
    const source = fivePages((page, body) =>
      page === 3 ? pageOf([twice, person('late', { billable_tokens: 1 })], 'c3') : body,
    );
    expect(await creditsOf(source)).toBe(9);
  });

  test.each([
    ['of another day', person('a', { date: addDays(DAY, -1) })],
    ['of the day with a time', person('a', { date: `${DAY}T00:00:00+09:00` })],
    ['of nobody', { date: DAY, billable_tokens: 9 }],
    ['of somebody whose identifier is no text', person('a', { user_id: 7 })],
    ['of somebody whose identifier is empty', person('')],
    ['that is null', null],
    ['that is text', 'row'],
  ])('is not whole with a row %s, and says how many were rejected', async (_, row) => {
    const source = createPagedSource(() => pageOf([row, person('b', { billable_tokens: -4 })]));
    const failure = fetchDays(usersCollector, source, window);
    await expect(failure).rejects.toThrow(IncompleteListing);
    await expect(failure).rejects.toMatchObject({ end: 'rows', rejected: 2 });
  });

  test('has no sum that a rejected field of a person would make too small, and keeps the others', async () => {
    const people = Array.from({ length: 6 }, (_, index) =>
      person(`p${index}`, { billable_tokens: 1, git_commits: 2, primary_model: 'm', languages: ['Go'] }),
    );
    const { rows, rejected } = await fetchDays(
      usersCollector,
      createPagedSource(() => pageOf([...people, person('bad', { git_commits: -1, languages: ['Go', 7] })])),
      window,
    );
    const row = rows.get(DAY);
    expect(rejected).toBe(2);
    expect(row).toMatchObject({ credits: 6, byLanguage: undefined, rejected: { people: 2 } });
    expect(row?.byTeam).toEqual([
      expect.objectContaining({ team: 'none', active: 7, credits: 6, commits: undefined }),
    ]);
    expect(row?.byPrimaryModel).toEqual([{ model: 'm', tier: 'unknown', people: 6 }]);
  });

  test('counts no active people if the activity of one is unknown', async () => {
    const { rows } = await fetchDays(
      usersCollector,
      createPagedSource(() =>
        pageOf([person('a', { billable_tokens: -1, primary_model: 'm' }), person('b')]),
      ),
      window,
    );
    expect(rows.get(DAY)).toMatchObject({ credits: undefined, byPrimaryModel: undefined, byTeam: undefined });
  });

  test.each([
    ['ends without has_more', (body: object) => ({ ...body, meta: {} })],
    [
      'ends with a cursor of null',
      (body: object) => ({ ...body, meta: { has_more: false, next_cursor: null } }),
    ],
    [
      'ends with a cursor all the same',
      (body: object) => ({ ...body, meta: { has_more: false, next_cursor: 'c9' } }),
    ],
    ['has no meta', (body: object) => ({ ...body, meta: undefined })],
    ['has a meta of null', (body: object) => ({ ...body, meta: null })],
  ])('is whole where its last page %s', async (_, change) => {
    const source = fivePages((page, body) => (page === PAGES - 1 ? change(body as object) : body));
    expect(await creditsOf(source)).toBe(10);
  });

  test('is a day without a row if it lists no one', async () => {
    const fetched = await fetchDays(
      usersCollector,
      createPagedSource(() => pageOf([])),
      window,
    );
    expect(fetched).toMatchObject({ rejected: 0, lost: 0, orgId: 'org_1' });
    expect(fetched.rows.size).toBe(0);
  });
});

const positions = Array.from({ length: PAGES }, (_, page) => page);

describe.each(positions)('a failure at page %i leaves no day', (at) => {
  const meta = (body: unknown) => (body as { meta: object }).meta;
  const faults: readonly (readonly [string, (body: unknown, page: number) => unknown])[] = [
    ['an error', () => new Error('broken off')],
    ['no body', () => null],
    ['another shape', () => ({ data: {} })],
    ['meta as text', (body: unknown) => ({ ...(body as object), meta: 'more' })],
    ['meta as an array', (body: unknown) => ({ ...(body as object), meta: [] })],
    ...['false', 'true', 0, 1, {}, []].map(
      (more) =>
        [
          `has_more ${JSON.stringify(more)}`,
          (body: unknown) => ({ ...(body as object), meta: { ...meta(body), has_more: more } }),
        ] as const,
    ),
    ...[7, {}, [], true].map(
      (cursor) =>
        [
          `next_cursor ${JSON.stringify(cursor)}`,
          (body: unknown) => ({ ...(body as object), meta: { ...meta(body), next_cursor: cursor } }),
        ] as const,
    ),
    [
      'a full page without paging information',
      () => ({ data: Array.from({ length: 100 }, (_, index) => person(`full${index}`)), meta: {} }),
    ],
    ['has_more without a cursor', (body: unknown) => ({ ...(body as object), meta: { has_more: true } })],
    [
      'the cursor that it was asked with',
      (body: unknown, page: number) => ({
        ...(body as object),
        meta: { ...meta(body), has_more: true, next_cursor: page === 0 ? 'c-1' : `c${page - 1}` },
      }),
    ],
    [
      'an empty page that names a next one',
      (body: unknown, page: number) => ({
        data: [],
        meta: { ...meta(body), has_more: true, next_cursor: `c${page}` },
      }),
    ],
    [
      'a cursor that leads back to the beginning',
      (body: unknown) => ({
        ...(body as object),
        meta: { ...meta(body), has_more: true, next_cursor: 'c-1' },
      }),
    ],
  ];
  test.each(faults)('%s', async (_, change) => {
    const source = fivePages((page, body) => (page === at ? change(body, page) : body));
    await expect(fetchDays(usersCollector, source, window)).rejects.toThrow();
  });
});

test('a listing that never ends is aborted, and says after how many pages', async () => {
  let page = 0;
  const source = createPagedSource(() => pageOf([person(`p${page}`)], `c${page++}`));
  const failure = fetchDays(usersCollector, source, window);
  await expect(failure).rejects.toThrow(IncompleteListing);
  await expect(failure).rejects.toThrow('incomplete listing of people: too many pages after 50 pages');
});
