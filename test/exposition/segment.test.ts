import { crc32, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Sample } from '../../src/catalog/family.ts';
import { createDeflater, type DeflatedChunk, deflateShort } from '../../src/exposition/deflated-chunk.ts';
import { createSegmentRenderer, type SegmentBody } from '../../src/exposition/segment.ts';
import { createSystemClock } from '../../src/runtime/clock.ts';

const END_BLOCK = Buffer.from([3, 0]);
const family = { name: 'm', labels: ['repo'] };
const renderSegment = createSegmentRenderer({ clock: createSystemClock() });

function textOf(body: SegmentBody): string {
  if (Buffer.isBuffer(body)) return body.toString();
  const text = inflateRawSync(Buffer.concat([body.bytes, END_BLOCK]));
  expect(body).toMatchObject({ crc: crc32(text), length: text.length });
  return text.toString();
}

function* repos(count: number): Iterable<Sample> {
  for (let index = 0; index < count; index++)
    yield { labels: { repo: `github.com/acme/${index}` }, value: index };
}

describe('a segment', () => {
  test.each([1, 3, 500, 40_000])('of %d samples has a line for each, in order', async (count) => {
    const segment = await renderSegment(family, 'acme', repos(count));
    const lines = [...repos(count)].map(
      ({ value }) => `m{org="acme",repo="github.com/acme/${value}"} ${value}\n`,
    );
    const text = lines.join('');
    expect(segment).toMatchObject({ family: 'm', org: 'acme', series: count, overflow: false });
    expect(segment && textOf(segment.body)).toBe(text);
  });

  test('is undefined without samples', async () => {
    expect(await renderSegment(family, 'acme', [])).toBeUndefined();
  });

  test('counts bytes, not characters', async () => {
    const segment = await renderSegment(family, 'acme', [{ labels: { repo: 'é😀' }, value: 1 }]);
    expect(segment?.body.length).toBe(Buffer.byteLength('m{org="acme",repo="é😀"} 1\n'));
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
    const segment = await renderSegment(family, 'acme', endless(), { maxSeries: 100 });
    expect(segment).toMatchObject({ overflow: true, series: 101, body: { length: 0 } });
    expect({ taken, closed }).toEqual({ taken: 101, closed: true });
  });

  test('of just as many samples as allowed is whole', async () => {
    expect(await renderSegment(family, 'acme', repos(100), { maxSeries: 100 })).toMatchObject({
      overflow: false,
      series: 100,
    });
  });

  test('is given up when the signal is aborted', async () => {
    const stop = new AbortController();
    function* endless(): Iterable<Sample> {
      for (let index = 0; ; index++) {
        if (index === 10_000) stop.abort(new Error('stopped'));
        yield { labels: { repo: String(index) }, value: 1 };
      }
    }
    await expect(renderSegment(family, 'acme', endless(), { signal: stop.signal })).rejects.toThrow(
      'stopped',
    );
  });

  test('passes on what its samples throw', async () => {
    function* broken(): Iterable<Sample> {
      yield* repos(20_000);
      throw new Error('no more');
    }
    await expect(renderSegment(family, 'acme', broken())).rejects.toThrow('no more');
  });

  test('keeps no more memory than its bytes', async () => {
    const text = (await renderSegment(family, 'acme', repos(4)))?.body;
    const deflated = (await renderSegment(family, 'acme', repos(4000)))?.body;
    if (!Buffer.isBuffer(text) || deflated === undefined || Buffer.isBuffer(deflated))
      throw new Error('a short segment is a text, a long one is not');
    expect(text.buffer.byteLength).toBe(text.length);
    expect(deflated.bytes.buffer.byteLength).toBe(deflated.bytes.length);
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
    await Promise.all(Array.from({ length: 4 }, () => renderSegment(family, 'acme', repos(20_000))));
    running = false;
    expect(otherWork).toBeGreaterThan(4);
  });

  test('come one after the other, also after one that failed', async () => {
    const taken: string[] = [];
    function* noted(org: string): Iterable<Sample> {
      for (const sample of repos(20_000)) {
        if (taken.at(-1) !== org) taken.push(org);
        yield sample;
      }
      if (org === 'b') throw new Error('no more');
    }
    const orgs = ['a', 'b', 'c'];
    const done = await Promise.allSettled(orgs.map((org) => renderSegment(family, org, noted(org))));
    expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(taken).toEqual(orgs);
  });
});

describe('chunks', () => {
  test('in any order are one deflate stream', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(fc.string(), { maxLength: 4 }), { maxLength: 8 }), async (texts) => {
        const chunks: DeflatedChunk[] = [];
        for (const parts of texts) {
          const deflater = createDeflater();
          for (const part of parts) await deflater.write(part);
          chunks.push(parts.length === 1 ? deflateShort(parts[0] ?? '') : await deflater.finish());
        }
        const joined = Buffer.concat([...chunks.map(({ bytes }) => bytes), END_BLOCK]);
        expect(inflateRawSync(joined).toString()).toBe(texts.flat().join(''));
      }),
      { numRuns: 50 },
    );
  });

  test('of text that hardly compresses are whole, at sizes around the buffers of zlib', async () => {
    let seed = 1;
    const noise = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return String.fromCharCode(33 + (seed % 90));
    };
    for (const length of [16_380, 16_384, 19_000, 20_500, 65_536, 300_000]) {
      const text = Array.from({ length }, noise).join('');
      const deflater = createDeflater();
      await deflater.write(text);
      expect(textOf(await deflater.finish())).toBe(text);
      expect(textOf(deflateShort(text))).toBe(text);
    }
  });
});
