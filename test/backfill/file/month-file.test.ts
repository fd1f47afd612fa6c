import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMonthFile } from '../../../src/backfill/file/month-file.ts';
import { folder } from '../brought.ts';
import { daily } from '../days.ts';

const [, family] = daily.families;
const text = fc.string({ unit: fc.constantFrom('a', 'b', '\\', '"', 'ä', '😀'), maxLength: 4 });
/** The values of an organization's series at some instants. */
const pages = fc.array(
  fc.record({
    org: fc.constantFrom('acme', 'beta'),
    values: fc.uniqueArray(fc.tuple(text, fc.double({ noNaN: true })), { selector: ([model]) => model }),
  }),
  { minLength: 1, maxLength: 12 },
);

test('the lines are those of every page, series by series, however few values are in memory at once', async () => {
  await fc.assert(
    fc.asyncProperty(pages, fc.constantFrom(1, 7, 1000), async (given, valuesAtOnce) => {
      if (family === undefined) throw new Error('a collector without families');
      const path = join(folder(), 'all.om');
      const file = await createMonthFile(path, { job: 'j' }, valuesAtOnce);
      const expected = new Map<string, string[]>();
      for (const [index, { org, values }] of given.entries()) {
        const samples = values.map(([model, value]) => ({ labels: { model }, value }));
        const stamps = [1000 * index, 1000 * index + 500];
        file.add(org, [{ family, recorded: false, stamps, samples: () => samples }]);
        for (const [model, value] of values) {
          const key = JSON.stringify([org, model]);
          const lines = stamps.map((stamp) => `${Object.is(value, -0) ? '0' : shown(value)} ${stamp / 1000}`);
          expected.set(key, [...(expected.get(key) ?? []), ...lines]);
        }
      }
      const written = await file.finish();
      const count = [...expected.values()].flat().length;
      expect(written?.samples).toBe(count === 0 ? undefined : count);
      expect(readdirSync(dirname(path))).toEqual(count === 0 ? [] : ['all.om']);
      if (written === undefined) return;
      const content = readFileSync(path, 'utf8');
      expect(Buffer.byteLength(content)).toBe(written.bytes);
      const lines = content.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      expect(lines.map((line) => line.slice(line.lastIndexOf('} ') + 2)).sort()).toEqual(
        [...expected.values()].flat().sort(),
      );
      const series = lines.map((line) => line.slice(0, line.lastIndexOf('} ')));
      const begun = series.filter((one, index) => one !== series[index - 1]);
      expect(begun).toHaveLength(new Set(series).size);
    }),
    { numRuns: 60 },
  );
});

function shown(value: number): string {
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf';
}
