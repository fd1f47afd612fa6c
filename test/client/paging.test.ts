import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ApiRequest, PagedRequest } from '../../src/catalog/source.ts';
import { walkPages } from '../../src/client/paging.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { answers, createTestClient, failureOf, startServer } from './platform-server.ts';

interface Item {
  readonly id?: string;
  readonly n?: number;
}

interface FakePage {
  readonly items: readonly Item[];
  readonly next?: string;
}

const listing: PagedRequest = {
  endpoint: 'users',
  host: 'api',
  path: '/api/v1/analytics/users',
  query: { limit: '2' },
  cursorParameter: 'cursor',
  read(body) {
    const { items, next } = body as FakePage;
    return { items, next };
  },
  idOf: (item) => (item as Item).id,
};

const { slices } = createSystemClock();

async function walk(serve: (cursor: string | undefined, call: number) => FakePage, maxPages = 100) {
  const asked: ApiRequest[] = [];
  const items: Item[] = [];
  const outcome = await walkPages(
    async (request) => {
      asked.push(request);
      return { body: serve(Reflect.get(request.query, 'cursor'), asked.length), bytes: 10 };
    },
    listing,
    (fresh) => {
      for (const item of fresh as Item[]) items.push(item);
    },
    { maxPages, slices },
  );
  return { outcome, items, asked };
}

function ids(...names: string[]): Item[] {
  return names.map((id) => ({ id }));
}

test('a page keeps its memory until its items are passed on', async () => {
  const order: string[] = [];
  const release = () => void order.push('released');
  await walkPages(
    async () => ({ body: { items: ids('a', 'b', 'c', 'd', 'e', 'f') }, bytes: 10, release }),
    listing,
    (items) => void order.push(`${items.length} items`),
    { maxPages: 1, slices },
  );
  expect(order).toEqual(['5 items', '1 items', 'released']);
});

describe('a listing', () => {
  test('continues with the next cursor and the same query until the server says it is the last page', async () => {
    const { outcome, items, asked } = await walk((cursor) =>
      cursor === undefined ? { items: ids('a', 'b'), next: 'b' } : { items: ids('c') },
    );
    expect(outcome).toEqual({ end: 'last', complete: true, pages: 2, bytes: 20 });
    expect(items).toEqual(ids('a', 'b', 'c'));
    expect(asked.map(({ query }) => query)).toEqual([{ limit: '2' }, { limit: '2', cursor: 'b' }]);
    expect(Object.keys(asked[0] ?? {}).sort()).toEqual(['endpoint', 'host', 'path', 'query']);
  });

  test('ends with an empty page', async () => {
    const { outcome } = await walk((cursor) =>
      cursor === undefined ? { items: ids('a'), next: 'a' } : { items: [] },
    );
    expect(outcome).toMatchObject({ end: 'empty', complete: true, pages: 2 });
  });

  test('is not complete if an empty page has a next cursor', async () => {
    const { outcome } = await walk(() => ({ items: [], next: 'x' }));
    expect(outcome).toMatchObject({ end: 'empty', complete: false, pages: 1 });
  });

  test('of a server that ignores the cursor ends at its repetition, without duplicate items', async () => {
    const { outcome, items } = await walk(() => ({ items: ids('a', 'b'), next: 'b' }));
    expect(outcome).toMatchObject({ end: 'repeated-cursor', complete: false, pages: 2 });
    expect(items).toEqual(ids('a', 'b'));
  });

  test('ends if a page has only items already seen under a new cursor', async () => {
    const { outcome } = await walk((_cursor, call) => ({ items: ids('a', 'b'), next: `c${call}` }));
    expect(outcome).toMatchObject({ end: 'repeated-items', complete: false, pages: 2 });
  });

  test('is complete if the last page has only items already seen', async () => {
    const { outcome } = await walk((cursor) =>
      cursor === undefined ? { items: ids('a'), next: 'a' } : { items: ids('a') },
    );
    expect(outcome).toMatchObject({ end: 'last', complete: true });
  });

  test('that shifted while it was read continues', async () => {
    const pages: FakePage[] = [
      { items: ids('a', 'b'), next: 'b' },
      { items: ids('b', 'c'), next: 'c' },
      { items: ids('d') },
    ];
    const { outcome, items } = await walk((_cursor, call) => pages[call - 1] ?? { items: [] });
    expect(outcome.end).toBe('last');
    expect(items).toEqual(ids('a', 'b', 'c', 'd'));
  });

  test('passes on items without identity unchanged', async () => {
    const { items } = await walk(() => ({ items: [{ n: 1 }, { n: 1 }, { id: 'a' }, { id: 'a' }] }));
    expect(items).toEqual([{ n: 1 }, { n: 1 }, { id: 'a' }]);
  });

  test('of items without identity ends when the cursor repeats', async () => {
    const { outcome } = await walk(() => ({ items: [{ n: 1 }], next: 'x' }));
    expect(outcome).toMatchObject({ end: 'repeated-cursor', complete: false, pages: 2 });
  });

  test('ends at the page cap', async () => {
    const { outcome } = await walk((_cursor, call) => ({ items: ids(`i${call}`), next: `c${call}` }), 5);
    expect(outcome).toMatchObject({ end: 'page-cap', complete: false, pages: 5 });
  });

  test('passes on five items at once, a slice for each', async () => {
    const sizes: number[] = [];
    let turns = 0;
    const slices = {
      async next() {
        turns += 1;
      },
    };
    const pages = [ids(...'abcdefgabchij'), ids(...'abk')];
    await walkPages(
      async () => ({ body: { items: pages.shift() ?? [], next: String(pages.length) }, bytes: 1 }),
      listing,
      (items) => void sizes.push(items.length),
      { maxPages: 2, slices },
    );
    expect([sizes, turns]).toEqual([[5, 5, 1], 3]);
  });

  test('fails with what its reader throws', async () => {
    const broken = {
      ...listing,
      read: () => {
        throw new Error('expected a list');
      },
    };
    await expect(
      walkPages(
        async () => ({ body: 1, bytes: 1 }),
        broken,
        () => undefined,
        { maxPages: 9, slices },
      ),
    ).rejects.toThrow('expected a list');
  });

  test('always ends, passes on each identity once, and is complete only if the server said so', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            items: fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd', 'e') }), { maxLength: 3 }),
            next: fc.constantFrom('1', '2', '3', '4', undefined),
          }),
          { minLength: 1, maxLength: 8 },
        ),
        async (pages) => {
          const { outcome, items } = await walk((_cursor, call) => {
            const page = pages[(call - 1) % pages.length];
            return page?.next === undefined
              ? { items: page?.items ?? [] }
              : { items: page.items, next: page.next };
          });
          expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
          const last = pages[(outcome.pages - 1) % pages.length];
          expect(outcome.complete).toBe(last?.next === undefined);
        },
      ),
    ));
});

describe('a listing over HTTP', () => {
  test('fails whole when a page keeps failing', async () => {
    const page = { body: JSON.stringify({ items: ids('a'), next: 'a' }) };
    const server = await startServer(answers(page, { status: 500, body: '{"detail":"broken"}' }));
    const { client } = createTestClient(server.url, { retries: 1 });
    const error = await failureOf(client.pages(listing, () => undefined));
    expect(error).toMatchObject({ reason: 'server', status: 500 });
    expect(server.requests.map(({ url }) => url.split('?')[1])).toEqual([
      'limit=2',
      'limit=2&cursor=a',
      'limit=2&cursor=a',
    ]);
  });

  test('survives a page that fails once', async () => {
    const first = { body: JSON.stringify({ items: ids('a'), next: 'a' }) };
    const server = await startServer(
      answers(first, { status: 502 }, { body: JSON.stringify({ items: ids('b') }) }),
    );
    const { client } = createTestClient(server.url);
    const items: unknown[] = [];
    const outcome = await client.pages(listing, (fresh) => items.push(...fresh));
    expect(outcome).toMatchObject({ end: 'last', complete: true, pages: 2 });
    expect(items).toEqual(ids('a', 'b'));
  });
});

describe('a listing that attacks memory', () => {
  test.each([
    ['with an identity', (call: number, index: number) => ({ id: `${call} ${index}` })],
    ['without one', (_call: number, n: number) => ({ n })],
  ])('ends after a million items %s', async (_, itemOf) => {
    const { outcome, asked } = await walk((_cursor, call) => ({
      items: Array.from({ length: 200_000 }, (_item, index) => itemOf(call, index)),
      next: `c${call}`,
    }));
    expect(outcome).toMatchObject({ end: 'page-cap', complete: false });
    expect(asked).toHaveLength(6);
  });

  test('may have identities of any length, which stay distinct', async () => {
    const long = (text: string) => `${'x'.repeat(100_000)}${text}`;
    const { items } = await walk((_cursor, call) =>
      call === 1 ? { items: ids(long('a'), long('b'), long('a')), next: 'c' } : { items: ids(long('b')) },
    );
    expect(items).toHaveLength(2);
  });

  test.each([64, 65])('distinguishes identities of %i characters by their last one', async (length) => {
    const long = (text: string) => `${'x'.repeat(length - 1)}${text}`;
    const { items } = await walk(() => ({ items: ids(long('a'), long('b'), long('a')) }));
    expect(items).toHaveLength(2);
  });

  test('may have a cursor of 4096 characters', async () => {
    const { outcome } = await walk(() => ({ items: ids('a'), next: 'c'.repeat(4_096) }));
    expect(outcome.end).toBe('repeated-cursor');
    await expect(walk(() => ({ items: [], next: 'c'.repeat(4_097) }))).rejects.toThrow('4096');
  });

  test('is rejected if its cursor would not fit into a URL', async () => {
    await expect(walk(() => ({ items: ids('a'), next: 'c'.repeat(5_000) }))).rejects.toThrow(
      'expected a cursor of at most 4096 characters, got a string',
    );
  });
});
