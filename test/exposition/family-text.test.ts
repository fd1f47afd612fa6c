import { describe, expect, test } from 'vitest';
import type { Sample } from '../../src/catalog/family.ts';
import { createTextRenderer } from '../../src/exposition/text.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { createSlices } from '../../src/work/slices.ts';

const family = { name: 'm', labels: ['repo'] };
const renderText = createTextRenderer({ clock: createSystemClock() });

function* repos(count: number): Iterable<Sample> {
  for (let index = 0; index < count; index++)
    yield { labels: { repo: `github.com/acme/${index}` }, value: index };
}

describe('the text of a family', () => {
  test.each([1, 3, 500, 40_000])('of %d samples has a line for each, in order', async (count) => {
    const rendered = await renderText(family, 'acme', repos(count));
    const lines = [...repos(count)].map(
      ({ value }) => `m{org="acme",repo="github.com/acme/${value}"} ${value}\n`,
    );
    expect(rendered).toMatchObject({ family: 'm', series: count, overflow: false });
    expect(rendered && Buffer.concat(rendered.bytes).toString()).toBe(lines.join(''));
  });

  test('is undefined without samples', async () => {
    expect(await renderText(family, 'acme', [])).toBeUndefined();
  });

  test('is written as UTF-8', async () => {
    const rendered = await renderText(family, 'acme', [{ labels: { repo: 'é😀' }, value: 1 }]);
    expect(rendered?.bytes.map(String)).toEqual(['m{org="acme",repo="é😀"} 1\n']);
  });

  test('of more samples than allowed says so, and consumes no more of them than necessary', async () => {
    let taken = 0;
    let closed = false;
    function* endless(): Iterable<Sample> {
      try {
        for (;;) yield { labels: { repo: String(taken++) }, value: 1 };
      } finally {
        closed = true;
      }
    }
    const rendered = await renderText(family, 'acme', endless(), { maxSeries: 100 });
    expect(rendered).toEqual({ family: 'm', overflow: true, series: 101, bytes: [] });
    expect({ taken, closed }).toEqual({ taken: 101, closed: true });
  });

  test('of just as many samples as allowed is whole', async () => {
    expect(await renderText(family, 'acme', repos(100), { maxSeries: 100 })).toMatchObject({
      overflow: false,
      series: 100,
    });
  });

  test('passes on what its samples throw', async () => {
    function* broken(): Iterable<Sample> {
      yield* repos(20_000);
      throw new Error('no more');
    }
    await expect(renderText(family, 'acme', broken())).rejects.toThrow('no more');
  });

  test('keeps no more memory than its bytes', async () => {
    for (const count of [4, 40_000]) {
      const rendered = await renderText(family, 'acme', repos(count));
      for (const piece of rendered?.bytes ?? []) expect(piece.buffer.byteLength).toBe(piece.length);
    }
  });

  test('is in pieces that are written and checked in a moment', async () => {
    const rendered = await renderText(family, 'acme', repos(40_000));
    expect(Math.max(...(rendered?.bytes ?? []).map(({ length }) => length))).toBeLessThan(256 * 1024);
  });
});

describe('renderings at the same time', () => {
  test('let other work run between their slices', async () => {
    let otherWork = 0;
    let running = true;
    const immediate = () => {
      otherWork += 1;
      if (running) setImmediate(immediate);
    };
    setImmediate(immediate);
    // A millisecond passes with each look.
    let passed = 0;
    const slices = createSlices({ elapsed: () => ++passed });
    const render = createTextRenderer({ clock: { ...createSystemClock(), slices } });
    await Promise.all(Array.from({ length: 4 }, () => render(family, 'acme', repos(2_000))));
    running = false;
    expect(otherWork).toBeGreaterThan(100);
  });
});
