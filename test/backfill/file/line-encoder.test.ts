import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createLineEncoder,
  endingAt,
  MAX_VALUE_BYTES,
  writeText,
} from '../../../src/backfill/file/line-encoder.ts';
import { createSampleWriter, formatValue } from '../../../src/exposition/text.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 600 }),
  fc.string({ unit: fc.constantFrom('\\', '"', '\n', 'ä', '😀'), maxLength: 600 }),
);

test('the bytes of a line are those of its text, and never more than the bound', () => {
  fc.assert(
    fc.property(text, text, text, fc.double(), (org, model, tier, value) => {
      for (const labels of [[], ['model'], ['model', 'tier']]) {
        const family = { name: 'm', labels };
        const sample = { labels: { model, tier }, value };
        const encoder = createLineEncoder(family, { org });
        const output = Buffer.alloc(5 + encoder.maxBytes + MAX_VALUE_BYTES);
        const end = writeText(output, encoder.writeSeries(output, 5, sample.labels), formatValue(value));
        const line = createSampleWriter(family, { org })(sample);
        expect(`${output.toString('utf8', 5, end)}\n`).toBe(line);
      }
    }),
  );
});

test('a line ends with its timestamp in seconds', () => {
  expect(endingAt(1_768_431_600_000).toString()).toBe(' 1768431600\n');
  expect(endingAt(1_768_431_600_500).toString()).toBe(' 1768431600.5\n');
});
