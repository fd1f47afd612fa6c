import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPart } from '../../../src/backfill/file/part.ts';
import { blocksIn, createAddSamples, type OrgSeries } from '../../../src/backfill/file/series.ts';
import { labelsIn } from '../../../src/backfill/series-key.ts';
import { folder } from '../brought.ts';

const labels = ['model', 'tier'];

function samplesOf(number: number, models: number) {
  return Array.from({ length: models }, (_, index) => ({
    labels: { model: `m${(index + number) % (models + 3)}`, tier: index % 2 === 0 ? '' : 'a' },
    value: 1000 * number + index,
  }));
}

const keyOf = (org: number, of: Readonly<Record<string, string>>) => `${org} ${of['model']} ${of['tier']}`;

test.each([
  ['few', 3, 5],
  ['more than are turned into lines at once', 3000, 200],
])('the series of %s records come in order, with the values of each record', async (_, records, models) => {
  const part = createPart(join(folder(), 'part'));
  const add = createAddSamples();
  const orgs: OrgSeries[] = [0, 1].map((org) => ({ org, numbers: new Map(), last: undefined }));
  const expected = new Map<string, number[]>();
  const note = (org: number, instants: number, samples: ReturnType<typeof samplesOf>) => {
    for (const { labels: of, value } of samples) {
      const key = keyOf(org, of);
      const values = expected.get(key) ?? [];
      expected.set(key, values);
      values.push(instants, value);
    }
  };
  for (let instants = 0; instants < records; instants++) {
    for (const series of instants % 3 === 0 ? orgs : orgs.slice(1)) {
      // The second organization's samples stay the same for a while.
      const again = series.org === 1 && instants % 4 !== 0 && Array.isArray(series.last);
      const samples = again ? (series.last as ReturnType<typeof samplesOf>) : samplesOf(instants, models);
      expect(await add(part, series, { labels, samples, instants })).toBe(models);
      note(series.org, instants, samples);
    }
  }

  const found = new Map<string, number[]>();
  const keys = orgs.map(({ numbers }) => [...numbers.keys()]);
  let blocks = 0;
  for await (const { org, first, size, columns } of blocksIn(
    await part.open(),
    (index) => keys[index]?.length ?? 0,
  )) {
    blocks += 1;
    for (let index = 0; index < size; index++) {
      const values = columns.flatMap(({ instants, values: column }) => {
        const value = column[index] ?? Number.NaN;
        return Number.isNaN(value) ? [] : [instants, value];
      });
      const of = labelsIn(labels, keys[org]?.[first + index] ?? '');
      const key = keyOf(org, of);
      expect(found.has(key)).toBe(false);
      found.set(key, values);
    }
  }
  expect(found).toEqual(expected);
  if (records === 3) expect(blocks).toBe(2);
  else expect(blocks).toBeGreaterThan(2);
  await part.discard();
});
