import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { elementAmount, elementName, list, rejected } from '../../src/platforms/fields.ts';
import { createListing, salvage, withUnusable } from '../../src/platforms/usable-row.ts';

const inner = z.object({ x: z.number(), y: z.number().optional() });

const row = z.object({
  id: z.string(),
  total: z.number().optional(),
  /** Elements that need both of their fields. */
  strict: z.array(z.object({ name: z.string(), count: z.number() })).optional(),
  /** Elements whose fields may be unusable. */
  loose: list(z.object({ name: elementName, count: elementAmount })),
  /** Elements that may be unusable as a whole. */
  holed: z.array(z.union([inner, rejected])).optional(),
  nested: z.object({ a: z.number(), b: z.number().optional() }).optional(),
});

describe('what is salvaged of a row', () => {
  const strict = (...elements: unknown[]) => ({ id: 'r', strict: elements });
  const one = { name: 'a', count: 1 };

  test.each<[string, unknown, unknown, number, readonly string[]]>([
    ['all of it', { id: 'r', total: 1 }, { id: 'r', total: 1 }, 0, []],
    ['not an unusable member', { id: 'r', total: 'x' }, { id: 'r' }, 1, ['total']],
    ['not two of them', { id: 'r', total: 'x', strict: 7 }, { id: 'r' }, 2, ['total', 'strict']],
    ['nothing without what it needs', { total: 1 }, undefined, 1, []],
    ['nothing if that is unusable', { id: 7, total: 'x' }, undefined, 1, []],
    ['nothing of what is no object', 'x', undefined, 1, []],
    ['not an element that lacks a field', strict(one, { name: 'b' }), strict(one), 1, ['strict']],
    [
      'not an element with an unusable field',
      strict({ name: 'b', count: 'x' }, one),
      strict(one),
      1,
      ['strict'],
    ],
    [
      'not an element with two of them',
      strict({ name: 1, count: 'x' }, one),
      strict(one),
      1,
      ['strict', 'strict'],
    ],
    ['not what is no element', strict(null, one, 7), strict(one), 2, ['strict', 'strict']],
    [
      'not the unusable field of an element',
      { id: 'r', loose: [{ name: 'a', count: 'x' }, { name: 7, count: 2 }, { name: 'c' }] },
      { id: 'r', loose: [{ name: 'a', count: null }, { name: null, count: 2 }, { name: 'c' }] },
      ...([2, ['loose', 'loose']] as const),
    ],
    [
      'the place of an element',
      { id: 'r', holed: [{ x: 1, y: 2 }, { x: 'x' }, 7, { x: 3 }] },
      { id: 'r', holed: [{ x: 1, y: 2 }, null, null, { x: 3 }] },
      ...([2, ['holed', 'holed']] as const),
    ],
    [
      'not an unusable field of an object',
      { id: 'r', nested: { a: 1, b: 'x' } },
      { id: 'r', nested: { a: 1 } },
      1,
      ['nested'],
    ],
    ['not an object without what it needs', { id: 'r', nested: { b: 1 } }, { id: 'r' }, 1, ['nested']],
    [
      'not an object with that unusable',
      { id: 'r', nested: { a: 'x', b: 'y' } },
      { id: 'r' },
      1,
      ['nested', 'nested'],
    ],
  ])('is %s', (_case, value, saved, count, members) => {
    expect(salvage<unknown>(row, structuredClone(value))).toEqual({ row: saved, rejected: count, members });
  });
});

test('a listing has the documents that fit, those with faults, and counts the others', () => {
  const schema = z.object({ id: z.string(), pages: z.number().optional(), from: z.number().optional() });
  const { add, found } = createListing(schema, { pages: 'pages', from: 'from' }, ({ id }) => id !== 'other');
  for (const document of [
    { id: 'a', pages: 7 },
    { id: 'b', pages: 'x' },
    { id: 'other', pages: 'x' },
    { pages: 7 },
    null,
  ])
    add(document);
  expect(found).toEqual({
    documents: [
      { id: 'a', pages: 7 },
      { id: 'b', pages: null },
    ],
    damaged: [{ id: 'b', pages: null }],
    rejected: 5,
    lost: 2,
  });
});

test('without a condition, all documents fit', () => {
  const { add, found } = createListing(z.object({ id: z.string() }), {});
  add({ id: 'a' });
  expect(found).toEqual({ documents: [{ id: 'a' }], damaged: [], rejected: 0, lost: 0 });
});

test.each<[string, object, readonly string[], object]>([
  ['rejected as a whole', { id: 'a' }, ['page_count'], { id: 'a', pages: null }],
  ['rejected in part', { id: 'a', pages: 7 }, ['page_count'], { id: 'a', pages: 7 }],
  ['not sent', { id: 'a' }, ['other'], { id: 'a' }],
])('what was %s is told apart', (_case, usable, faults, expected) => {
  const sources: Readonly<Record<string, string>> = { pages: 'page_count', more: '' };
  expect(withUnusable(usable, faults, sources)).toEqual(expected);
});
