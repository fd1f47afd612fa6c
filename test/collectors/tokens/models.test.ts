import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../../src/catalog/day.ts';
import { MAX_PARTS } from '../../../src/collectors/counts.ts';
import { areNamed, mergedModels, modelsOf, SOME_MODEL } from '../../../src/collectors/tokens/models.ts';
import { dayNamed } from '../../support/day.ts';
import { createFakeView } from '../fakes.ts';

const day = dayNamed('2026-03-01');

test('the models of a day are merged and sorted, also where the stored row is so already', () => {
  const entry = fc.record({
    model: fc.constantFrom('a', 'a b', 'a!', 'b', 'é', '"'),
    tier: fc.constantFrom('standard', 'premium', undefined),
    credits: fc.nat(9),
  });
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 5 }), (entries) => {
      const stored = mergedModels(entries);
      const view = createFakeView({ rows: new Map([[day, { byModel: stored }]]) });
      // Of a single day there are no other days to find a tier on.
      const tiered = stored.map((each) => ({ ...each, tier: each.tier ?? tierOf(each.model) }));
      expect(modelsOf(view, day)).toEqual(mergedModels(tiered));

      function tierOf(model: string): string {
        const known = stored.filter((each) => each.model === model && each.tier !== undefined);
        return (
          known.toSorted((one, other) => (other.credits ?? 0) - (one.credits ?? 0))[0]?.tier ?? 'unknown'
        );
      }
    }),
  );
});

test('a tier that the platform does not name is the nearest one: of the day, of days before, then of days after', () => {
  const of = (tier?: string, credits = 1) => ({
    byModel: [
      { model: 'a', tier, credits },
      { model: 'b', tier: 'b', credits },
    ],
  });
  const tierOn = (known: Readonly<Record<number, object>>) => {
    const days = Object.entries(known).map(([offset, row]) => [addDays(day, Number(offset)), row] as const);
    const models = modelsOf(createFakeView({ rows: new Map(days) }), day);
    return models?.find(({ model }) => model === 'a')?.tier;
  };
  expect(tierOn({ 0: of('own'), [-1]: of('before'), 1: of('after') })).toBe('own');
  expect(tierOn({ 0: of(), [-2]: of('long before'), [-1]: of('before'), 1: of('after') })).toBe('before');
  expect(tierOn({ 0: of(), [-1]: of(), 1: {}, 2: of('after'), 3: of('later') })).toBe('after');
  expect(tierOn({ 0: of(), [-1]: of() })).toBe('unknown');
  expect(tierOn({ 0: {} })).toBeUndefined();
});

test('of several tiers of a day, the one with most credits counts, the first of equal ones', () => {
  const tiers = (...credits: readonly (number | null | undefined)[]) => {
    const byModel = credits.map((own, index) => ({ model: 'a', tier: `t${index}`, credits: own }));
    const rows = new Map([
      [addDays(day, -1), { byModel }],
      [day, { byModel: [{ model: 'a', credits: 3 }] }],
    ]);
    return modelsOf(createFakeView({ rows }), day)?.map(({ tier }) => tier);
  };
  expect(tiers(1, 3, 2)).toEqual(['t1']);
  expect(tiers(2, 2)).toEqual(['t0']);
  expect(tiers(undefined, null)).toEqual(['t0']);
  expect(tiers(null, 1)).toEqual(['t1']);
});

test('figures of one model and tier are added up; with an unusable one they are unusable, and not sent is not 0', () => {
  const merged = (...parts: readonly object[]) =>
    mergedModels(parts.map((part) => ({ model: 'a', ...part })));
  expect(merged({ credits: 1, input: 2 }, { credits: 3, output: 4 })).toMatchObject([
    { model: 'a', credits: 4, input: 2, output: 4 },
  ]);
  expect(merged({ credits: 1 }, { credits: null }, { credits: 2 })).toMatchObject([{ credits: null }]);
  expect(merged({ input: null }, {})).toMatchObject([{ credits: undefined, input: null }]);
});

test('entries have names unless they are usage of some model', () => {
  const other = { model: 'other', tier: 'other', credits: 5 };
  expect(areNamed([{ model: 'a', credits: null }, other, { ...other, tier: 's', credits: null }])).toBe(true);
  expect(areNamed([{ model: 'a', tier: 'other', credits: null }])).toBe(true);
  expect(areNamed([{ model: 'a' }, SOME_MODEL])).toBe(false);
  expect(areNamed([])).toBe(true);
});

test('beyond as many models as a breakdown has, those with the fewest credits are other', () => {
  const many = Array.from({ length: MAX_PARTS }, (_, index) => ({
    model: `m${index}`,
    tier: 's',
    credits: 5,
  }));
  const merged = mergedModels([{ model: 'a', tier: 's', credits: 1 }, ...many, { model: 'b', tier: 's' }]);
  expect(merged).toHaveLength(MAX_PARTS);
  expect(merged.find(({ model }) => model === 'other')).toMatchObject({ tier: 'other', credits: 6 });
});
