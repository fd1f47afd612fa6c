import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  breakdown,
  MAX_PARTS,
  merged,
  namedCount,
  OTHER,
  plus,
  plusKnown,
  plusUsable,
  preciseSum,
  summedCounts,
  sumOfUsable,
} from '../../src/collectors/counts.ts';
import { medianOf, ofEach, quotientOf, sumOfEach } from '../../src/collectors/statistics.ts';

const LARGEST = Number.MAX_VALUE;
const count = fc.integer({ min: 0, max: 1000 });

describe('sums', () => {
  test.each([
    [[], 0],
    [Array(10).fill(0.1), 1],
    [[1e100, 1, -1e100], 1],
    [[1, 2 ** 53, 1], 2 ** 53 + 2],
    [[LARGEST, LARGEST], LARGEST],
    [[LARGEST, LARGEST / 2 ** 53, LARGEST / 2 ** 54], LARGEST],
  ])('of %j are %d, in any order', (amounts, sum) => {
    expect(preciseSum(amounts)).toBe(sum);
    expect(preciseSum(amounts.toReversed())).toBe(sum);
  });

  test('are exact for whole numbers', () => {
    fc.assert(
      fc.property(fc.array(count), (amounts) => {
        const sum = amounts.reduce((one, other) => one + other, 0);
        expect([preciseSum(amounts), sumOfUsable(amounts)]).toEqual([sum, sum]);
        expect(sumOfUsable([...amounts, null])).toBeUndefined();
      }),
    );
  });

  test('do not depend on the order of their amounts', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, noNaN: true, max: LARGEST })), (amounts) => {
        expect(sumOfUsable(amounts)).toBe(sumOfUsable(amounts.toReversed()));
        expect(preciseSum(amounts)).toBe(preciseSum(amounts.toReversed()));
      }),
    );
  });

  test('are never infinite, and unknown or unusable by what they are of', () => {
    expect([plus(1, 2), plus(LARGEST, LARGEST)]).toEqual([3, LARGEST]);
    expect([plusUsable(1, 2), plusUsable(null, 2), plusUsable(1, null)]).toEqual([3, null, null]);
    expect([plusKnown(1, 2), plusKnown(undefined, 2), plusKnown(1, undefined)]).toEqual([3, 2, 1]);
    expect(plusKnown(undefined, undefined)).toBeUndefined();
    expect(sumOfEach([1, 2], (one) => one * 2)).toBe(6);
    expect(sumOfEach([1, 2], (one) => (one === 2 ? undefined : one))).toBeUndefined();
    expect(ofEach([], () => undefined)).toEqual([]);
  });
});

test.each([
  [6, 3, 2],
  [0, 3, 0],
  [6, 0, undefined],
  [undefined, 3, undefined],
  [6, undefined, undefined],
  [LARGEST, 0.5, LARGEST],
])('%d divided by %d is %d', (amount, divisor, quotient) => {
  expect(quotientOf(amount, divisor)).toBe(quotient);
});

test.each([
  [[7], 7],
  [[10, 9, 1], 9],
  [[4, 1, 10, 2], 3],
  [[LARGEST, LARGEST], LARGEST],
])('the median of %j is %d', (amounts, median) => {
  expect(medianOf(amounts)).toBe(median);
});

describe('a breakdown', () => {
  const entries = fc.array(fc.record({ name: fc.constantFrom('b', 'a', 'other'), count }));

  test('has each name once, in order, whichever order it came in', () => {
    fc.assert(
      fc.property(entries, (counts) => {
        const summed = summedCounts(counts);
        const names = [...new Set(counts.map(({ name }) => name))].sort();
        expect(summed.map(({ name }) => name)).toEqual(names);
        for (const { name, count: sum } of summed) {
          const own = counts.filter((one) => one.name === name);
          expect(sum).toBe(own.reduce((all, one) => all + one.count, 0));
        }
        expect(summedCounts(counts.toReversed())).toEqual(summed);
      }),
    );
  });

  test('has something unknown where a count or a name is unusable', () => {
    const named = [namedCount('a', 1), namedCount('a', null), namedCount(null, 7), namedCount('b', 2)];
    expect(summedCounts(named)).toEqual([
      { name: 'a', count: null },
      { name: 'b', count: 2 },
      { name: OTHER, count: null },
    ]);
  });

  test('merges what has the same key, in the order of the keys', () => {
    const pairs = [
      ['b', 1],
      ['a', 2],
      ['b', 3],
    ] as const;
    const one = merged(
      pairs,
      ([key]) => key,
      ([key, before], [, after]) => [key, before + after] as never,
    );
    expect(one).toEqual([
      ['a', 2],
      ['b', 4],
    ]);
  });

  test.each([
    [MAX_PARTS, MAX_PARTS, 1],
    [MAX_PARTS + 1, MAX_PARTS, 3],
  ])('of %i parts has %i: the smallest are one', (length, expected, smallest) => {
    const parts = Array.from({ length }, (_, index) => ({ name: `n${index}`, count: index + 1 }));
    const kept = breakdown(parts, {
      keyOf: ({ name }) => name,
      merge: (one, other) => ({ name: one.name, count: one.count + other.count }),
      weightOf: ({ count: weight }) => weight,
      restOf: ({ count: weight }) => ({ name: OTHER, count: weight }),
    });
    expect(kept).toHaveLength(expected);
    expect(Math.min(...kept.map((part) => part.count))).toBe(smallest);
    expect(summedCounts(parts)).toEqual(kept);
    expect(summedCounts([...parts, { name: 'unusable', count: null }]).at(-1)?.count ?? null).toBeNull();
  });
});
