import { describe, expect, test } from 'vitest';
import { slicesOf, turnsOf } from '../../bench/load/turns.ts';

const names = (turns: readonly { readonly name: string }[]) => turns.map(({ name }) => name).join('');

describe('servers that take turns', () => {
  test('begin in each order as often as in its reverse', () => {
    expect(names(slicesOf(['A', 'B', 'C'], 500))).toBe('ABCCBABCAACBCABBAC');
    expect(names(slicesOf(['A', 'B', 'C'], 1000))).toBe('ABCCBABCAACBCABBAC'.repeat(2));
  });

  test.each([100, 1000, 1500, 2000, 30_000])('are loaded for the same %d ms in total', (milliseconds) => {
    const slices = slicesOf(['A', 'B', 'C'], milliseconds);
    for (const server of ['A', 'B', 'C']) {
      const own = slices.filter(({ name }) => name === server);
      expect(own.reduce((sum, slice) => sum + slice.milliseconds, 0)).toBeCloseTo(milliseconds);
    }
  });

  test.each([1000, 1500, 2000, 30_000])(
    'have slices of about a sixth of a second in %d ms',
    (milliseconds) => {
      for (const slice of slicesOf(['A', 'B', 'C'], milliseconds)) {
        expect(slice.milliseconds).toBeGreaterThanOrEqual(60);
        expect(slice.milliseconds).toBeLessThanOrEqual(100);
      }
    },
  );

  test.each([['AB'], ['ABC'], ['ABCD']])('of %s, each is loaded at the same time on average', (servers) => {
    const slices = slicesOf([...servers], 1500);
    const middle = (slices.length - 1) / 2;
    for (const server of servers) {
      const positions = slices.flatMap(({ name }, position) => (name === server ? [position] : []));
      expect(positions.reduce((sum, position) => sum + position, 0) / positions.length).toBe(middle);
    }
  });
});

describe('a round', () => {
  test('ends with the servers that have one load each', () => {
    const turns = turnsOf({ alternating: ['A', 'B'], whole: ['X', 'Y'], milliseconds: 100 });
    expect(names(turns)).toBe('ABBABAABXY');
    expect(turns.slice(-2).map(({ milliseconds }) => milliseconds)).toEqual([100, 100]);
  });

  test('has loads of the others before and after a long one', () => {
    const between = { name: 'L', milliseconds: 30_000 };
    const turns = turnsOf({ alternating: ['A', 'B'], whole: [], between, milliseconds: 100 });
    expect(names(turns)).toBe('ABBABAABLABBABAAB');
    expect(turns).toContain(between);
  });

  test('of one server without others is one load', () => {
    expect(turnsOf({ alternating: [], whole: ['X'], milliseconds: 100 })).toEqual([
      { name: 'X', milliseconds: 100 },
    ]);
  });
});
