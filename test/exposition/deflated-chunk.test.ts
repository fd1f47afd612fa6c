import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { crc32Combine, crc32Shift } from '../../src/exposition/deflated-chunk.ts';

test('the checksum of two texts is found without their bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3000 }), fc.uint8Array({ maxLength: 3000 }), (first, second) => {
      const joined = crc32Combine(crc32(first), crc32(second), crc32Shift(second.length));
      expect(joined).toBe(crc32(Buffer.concat([first, second])));
    }),
  );
});

test('lengths far beyond 2^32 are moved over step by step as at once', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.integer({ min: 0, max: 2 ** 48 }),
      fc.integer({ min: 0, max: 2 ** 48 }),
      (crc, a, b) => {
        const steps = crc32Combine(crc32Combine(crc, 0, crc32Shift(a)), 0, crc32Shift(b));
        expect(steps).toBe(crc32Combine(crc, 0, crc32Shift(a + b)));
      },
    ),
  );
});
