import { expect, test } from 'vitest';
import { tokensDataset } from '../../../src/collectors/tokens/dataset.ts';
import { mergeRow } from '../../../src/store/merge.ts';

const parts = tokensDataset.parts ?? {};

const TIERED = {
  credits: 170,
  byModel: [
    { model: 'a', tier: 'fast', credits: 100, input: 7, output: 1 },
    { model: 'a', tier: 'standard', credits: 50, input: 3, output: 1 },
    { model: 'b', tier: 'standard', credits: 20, input: 2, output: 1 },
  ],
};

test('an answer grouped by model takes no tiers away, and is no revision', () => {
  const grouped = {
    credits: 170,
    byModel: [
      { model: 'b', credits: 20, input: 2, output: 1 },
      { model: 'a', credits: 150, input: 10, output: 2 },
    ],
  };
  expect(mergeRow(TIERED, grouped, parts)).toEqual({ row: TIERED, isRevised: false, missing: 0 });
});

test('an answer grouped by model with other credits replaces those with tiers', () => {
  const grouped = { credits: 180, byModel: [{ model: 'a', credits: 180, input: 10, output: 2 }] };
  expect(mergeRow(TIERED, grouped, parts)).toEqual({ row: grouped, isRevised: true, missing: 0 });
});

test('an answer with other amounts of the same models replaces those with tiers, as does one with other tiers', () => {
  const one = (credits: number | null, tier?: string, input = 10) => ({
    byModel: [{ model: 'a', ...(tier !== undefined && { tier }), credits, input }],
  });
  const stored = one(150, 'fast');
  for (const answered of [one(151), one(150, undefined, 11), one(150, 'standard'), one(null)])
    expect(mergeRow(stored, answered, parts).row).toEqual(answered);
  expect(mergeRow(stored, one(150), parts).row).toEqual(stored);
  expect(mergeRow(one(150), stored, parts).row).toEqual(stored);
  expect(mergeRow({ byModel: undefined }, one(150), parts).row).toEqual(one(150));
});
