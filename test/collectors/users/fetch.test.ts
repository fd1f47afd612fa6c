import { describe, expect, test } from 'vitest';
import { addDays } from '../../../src/catalog/day.ts';
import { IncompleteListing } from '../../../src/catalog/source.ts';
import { usersCollector } from '../../../src/collectors/users/collector.ts';
import { DAY } from '../fakes.ts';
import { createPagedSource, pageOf, person } from './people.ts';

const window = { from: DAY, to: DAY };
const PAGES = 5;

/** Five pages of two people; `change` may put another body in the place of a page. */
function fivePages(change: (page: number, body: unknown) => unknown = (_, body) => body) {
  return createPagedSource((cursor) => {
    const page = cursor === undefined ? 0 : Number(cursor.slice(1)) + 1;
    const people = [person(`p${page}a`, { billable_tokens: 1 }), person(`p${page}b`, { billable_tokens: 1 })];
    return change(page, pageOf(people, page + 1 < PAGES ? `c${page}` : undefined));
  });
}

async function creditsOf(source: ReturnType<typeof createPagedSource>) {
  const { rows } = await usersCollector.fetch(source, window);
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

  test('counts somebody once who is on two pages', async () => {
    const twice = person('p0a', { billable_tokens: 1 });
    const source = fivePages((page, body) =>
      page === 3 ? pageOf([twice, person('late', { billable_tokens: 1 })], 'c3') : body,
    );
    expect(await creditsOf(source)).toBe(9);
  });

  test('counts somebody of the day who was listed for another day before', async () => {
    const source = createPagedSource(() =>
      pageOf([person('a', { date: addDays(DAY, -1) }), person('a', { billable_tokens: 4 })]),
    );
    const { rows, rejected } = await usersCollector.fetch(source, window);
    expect([rows.get(DAY)?.credits, rejected]).toEqual([4, 1]);
  });

  test('leaves out rows of nobody and of nothing, and fields that are no numbers', async () => {
    const source = createPagedSource(() =>
      pageOf([
        null,
        'row',
        { date: DAY, billable_tokens: 9 },
        person('a', { billable_tokens: -1 }),
        person('b', { billable_tokens: '3', languages: ['Go', 7] }),
      ]),
    );
    const { rows, rejected, lost } = await usersCollector.fetch(source, window);
    expect([rows.get(DAY)?.credits, rejected, lost]).toEqual([3, 5, 3]);
    expect(rows.get(DAY)?.byLanguage).toEqual([{ name: 'Go', count: 1 }]);
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
  ])('is whole where its last page %s', async (_, change) => {
    const source = fivePages((page, body) => (page === PAGES - 1 ? change(body as object) : body));
    expect(await creditsOf(source)).toBe(10);
  });

  test('is a day without a row where nobody is listed', async () => {
    const fetched = await usersCollector.fetch(
      createPagedSource(() => pageOf([])),
      window,
    );
    expect(fetched).toMatchObject({ rejected: 0, lost: 0, orgId: 'org_1' });
    expect(fetched.rows.size).toBe(0);
  });
});

const positions = Array.from({ length: PAGES }, (_, page) => page);

describe.each(positions)('a fault at page %i leaves no day', (at) => {
  const meta = (body: unknown) => (body as { meta: object }).meta;
  test.each([
    ['an error', () => new Error('broken off')],
    ['no body', () => null],
    ['another shape', () => ({ data: {} })],
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
  ])('%s', async (_, change) => {
    const source = fivePages((page, body) => (page === at ? change(body, page) : body));
    await expect(usersCollector.fetch(source, window)).rejects.toThrow();
  });
});

test('a listing that never ends is given up, and says after how many pages', async () => {
  let page = 0;
  const source = createPagedSource(() => pageOf([person(`p${page}`)], `c${page++}`));
  const failure = usersCollector.fetch(source, window);
  await expect(failure).rejects.toThrow(IncompleteListing);
  await expect(failure).rejects.toThrow(
    'the listing of people is not whole: there are too many pages after 50 pages',
  );
});
