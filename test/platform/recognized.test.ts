import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ApiAnswer, ApiRequest, Listing, PagedRequest } from '../../src/catalog/source.ts';
import { walkPages } from '../../src/platform/paging.ts';
import { answers, createTestClient, failureOf, startServer } from './platform-server.ts';

interface FakePage {
  readonly items: readonly string[];
  readonly next?: string;
}

/** The first page under `''`, the others under their cursors. */
type Pages = Readonly<Record<string, FakePage>>;

const NOT_KNOWN: Listing = { end: 'empty', pages: [] };

function request(known: Listing | undefined): PagedRequest {
  return {
    endpoint: 'readiness',
    host: 'app',
    path: '/reports',
    query: {},
    cursorParameter: 'cursor',
    read(body) {
      const { items, next } = body as FakePage;
      return { items, next };
    },
    idOf: (item) => item as string,
    known,
  };
}

/** Answers as the client does. */
function serving(pages: Pages) {
  return async ({ query, recognize }: ApiRequest): Promise<ApiAnswer> => {
    const text = JSON.stringify(pages[query['cursor'] ?? ''] ?? { items: [] });
    const digest = createHash('sha256').update(text).digest('base64');
    const common = { bytes: text.length, ...(recognize && { digest }) };
    if (recognize?.digest !== digest) return { ...common, body: JSON.parse(text) };
    const unparsed = [text.slice(0, 5), text.slice(5)].map((piece) => new TextEncoder().encode(piece));
    return { ...common, body: undefined, unparsed };
  };
}

async function walk(pages: Pages, known?: Listing) {
  const items: unknown[] = [];
  const outcome = await walkPages(serving(pages), request(known), (fresh) => items.push(...fresh), 10);
  return { items, outcome };
}

const THREE: Pages = {
  '': { items: ['a', 'b'], next: 'b' },
  b: { items: ['c'], next: 'c' },
  c: { items: [] },
};

describe('a known listing', () => {
  test('that comes again is recognized, and not read', async () => {
    const first = await walk(THREE, NOT_KNOWN);
    expect(first.items).toEqual(['a', 'b', 'c']);
    const { listing } = first.outcome;
    const { items, outcome } = await walk(THREE, listing);
    expect(items).toEqual([]);
    expect(outcome).toEqual({ ...first.outcome, isKnown: true });
  });

  test('is read as a whole once one of its pages differs', async () => {
    const { listing } = (await walk(THREE, NOT_KNOWN)).outcome;
    const longer = { ...THREE, c: { items: ['d'], next: 'd' } };
    const { items, outcome } = await walk(longer, listing);
    expect(items).toEqual(['a', 'b', 'c', 'd']);
    expect(outcome).toEqual((await walk(longer, NOT_KNOWN)).outcome);
    expect(outcome.isKnown).toBeUndefined();
  });

  test('is not returned for an incomplete one', async () => {
    const { outcome } = await walk(
      { '': { items: ['a'], next: 'a' }, a: { items: [], next: 'x' } },
      NOT_KNOWN,
    );
    expect(outcome).toEqual({ end: 'empty', complete: false, pages: 2, bytes: outcome.bytes });
  });

  test('never changes what is read, whatever is known and whatever comes', () => {
    const page = fc.record({
      items: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 2 }),
      next: fc.constantFrom('1', '2', undefined),
    });
    const listings = fc.record({ '': page, 1: page, 2: page }) as fc.Arbitrary<Pages>;
    return fc.assert(
      fc.asyncProperty(listings, listings, fc.boolean(), async (before, now, isDamaged) => {
        const { listing } = (await walk(before, NOT_KNOWN)).outcome;
        const { end, pages } = listing ?? NOT_KNOWN;
        const known = {
          end,
          pages: pages.map(({ digest, next }) => ({ digest, next: isDamaged ? '2' : next })),
        };
        const asNew = await walk(now, NOT_KNOWN);
        const { items, outcome } = await walk(now, known);
        if (outcome.isKnown) {
          expect(outcome).toMatchObject({ end, pages: pages.length, complete: true });
          expect(items).toEqual([]);
          // What it stands for is what is there.
          if (!isDamaged) expect((await walk(before, NOT_KNOWN)).items).toEqual(asNew.items);
        } else expect({ items, outcome }).toEqual(asNew);
      }),
    );
  });
});

describe('a known listing over HTTP', () => {
  const first = { body: '\ufeff{"items":["\u00e4","b"],"next":"b"}' };
  const last = { body: '{"items":[]}' };

  test('is recognized by the bytes of its bodies', async () => {
    const server = await startServer(answers(first, last, first, last));
    const { client, codes } = createTestClient(server.url);
    const items: unknown[] = [];
    const { listing, bytes } = await client.pages(request(NOT_KNOWN), (fresh) => items.push(...fresh));
    expect(items).toEqual(['\u00e4', 'b']);
    const outcome = await client.pages(request(listing), (fresh) => items.push(...fresh));
    expect(outcome).toMatchObject({ isKnown: true, pages: 2, bytes });
    expect(items).toHaveLength(2);
    expect(codes).toEqual(['200', '200', '200', '200']);
  });

  test('is parsed if it goes on', async () => {
    const server = await startServer(answers(first, last, first, { body: '{"items":["c"]}' }));
    const { client } = createTestClient(server.url);
    const { listing } = await client.pages(request(NOT_KNOWN), () => undefined);
    const items: unknown[] = [];
    await client.pages(request(listing), (fresh) => items.push(...fresh));
    expect(items).toEqual(['\u00e4', 'b', 'c']);
  });

  test('does not excuse another body from any limit', async () => {
    const deep = { body: `{"items":${'['.repeat(100)}${']'.repeat(100)}}` };
    const server = await startServer(answers(first, last, deep));
    const { client } = createTestClient(server.url);
    const { listing } = await client.pages(request(NOT_KNOWN), () => undefined);
    const error = await failureOf(client.pages(request(listing), () => undefined));
    expect(error.message).toContain('nested too deeply');
  });
});
