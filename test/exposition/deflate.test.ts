import { crc32, gunzipSync, inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deflateEnd, deflateOpen } from '../../src/exposition/deflate.ts';
import { assembleScrape, readBody } from '../../src/exposition/scrape.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { below, createRandom } from '../fuzz/random.ts';

const texts = fc.array(fc.string(), { maxLength: 8 }).map((list) => list.map((text) => Buffer.from(text)));

const { slices } = createSystemClock();

test('an open and an ended stream are one, and one gzip member with the checksum of both texts', async () => {
  await fc.assert(
    fc.asyncProperty(texts, texts, async (before, after) => {
      const page = await deflateOpen(before);
      const text = Buffer.concat(after);
      const bytes = await deflateEnd(after, slices);
      const whole = Buffer.concat([...before, text]);
      expect(page).toMatchObject({ crc: crc32(Buffer.concat(before)) });
      expect(page.length + text.length).toBe(whole.length);
      expect(inflateRawSync(Buffer.concat([page.bytes, bytes])).equals(whole)).toBe(true);
      const { gzip, identity } = assembleScrape(page, { texts: after, bytes }, 'text');
      // Fails if the checksum or the length is not that of the text.
      expect(gunzipSync(await readBody(gzip)).equals(whole)).toBe(true);
      expect((await readBody(identity)).equals(whole)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('text that hardly compresses is whole, at sizes around the buffers of zlib and of what is written at once', async () => {
  const random = createRandom(1);
  const noise = () => 33 + below(90, random);
  for (const length of [16_380, 16_384, 20_500, 65_536, 131_071, 131_072, 131_073, 300_000, 1_200_000]) {
    const text = Buffer.from(Array.from({ length }, noise));
    const pieces = [text.subarray(0, 100_000), text.subarray(100_000)];
    const { bytes, crc } = await deflateOpen(pieces);
    expect(inflateRawSync(Buffer.concat([bytes, Buffer.from([3, 0])])).equals(text)).toBe(true);
    expect(crc).toBe(crc32(text));
    const end = await deflateEnd(
      Array.from({ length: 4 }, () => text),
      slices,
    );
    expect(inflateRawSync(end).equals(Buffer.concat([text, text, text, text]))).toBe(true);
  }
});

test('what reading the texts throws is passed on', async () => {
  function* broken(): Generator<Buffer> {
    yield Buffer.alloc(1_000_000);
    throw new Error('no more');
  }
  await expect(deflateOpen(broken())).rejects.toThrow('no more');
  await expect(deflateEnd(broken(), slices)).rejects.toThrow('no more');
});
