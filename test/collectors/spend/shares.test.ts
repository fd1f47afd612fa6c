import { expect, test } from 'vitest';
import { addDays } from '../../../src/catalog/day.ts';
import type { Sample } from '../../../src/catalog/family.ts';
import { MAX_PARTS } from '../../../src/collectors/counts.ts';
import { baselineSharesByModel, sharesByModel } from '../../../src/collectors/spend/comparisons.ts';
import type { ModelTokens } from '../../../src/collectors/tokens/dataset.ts';
import { SOME_MODEL } from '../../../src/collectors/tokens/models.ts';
import { dayNamed } from '../../support/day.ts';
import { daysSince, type KnownDay, spendView } from './view.ts';

const last = dayNamed('2026-06-24');

function entry(model: string, credits?: number, tier = 's'): ModelTokens {
  return { model, tier, credits };
}

/** The shares of the last of consecutive days, and of those before it, by model and tier. */
function sharesAfter(known: readonly (KnownDay | undefined)[]) {
  const view = spendView(daysSince(addDays(last, 1 - known.length), known));
  const byModel = (samples: readonly Sample<'model' | 'tier'>[] | undefined) =>
    samples &&
    Object.fromEntries(samples.map(({ labels: { model, tier }, value }) => [`${model} ${tier}`, value]));
  return {
    ofDay: byModel(sharesByModel(view, last)),
    before: byModel(baselineSharesByModel(view, last)),
  };
}

const usual = { credits: 10, byModel: [entry('a', 6), entry('b', 4)] };
const fortnight = Array<KnownDay>(14).fill(usual);

test('a share is unknown where usage without a usable name can be of the model: of those that the day does not list', () => {
  const unnamed = { credits: 10, byModel: [entry('a', 6), SOME_MODEL] };
  expect(sharesAfter([...fortnight, unnamed])).toEqual({
    ofDay: { 'a s': 0.6, 'b s': Number.NaN, 'other other': Number.NaN },
    before: { 'a s': 0.6, 'b s': 0.4, 'other other': 0 },
  });
  const before = [...fortnight.slice(1), unnamed];
  expect(sharesAfter([...before, { credits: 10, byModel: [entry('a', 5), entry('c', 5)] }])).toEqual({
    ofDay: { 'a s': 0.5, 'b s': 0, 'c s': 0.5, 'other other': 0 },
    before: { 'a s': 0.6, 'b s': Number.NaN, 'c s': Number.NaN, 'other other': Number.NaN },
  });
});

test('a model whose credits were not sent has none, and one whose credits were unusable has an unknown share', () => {
  const byModel = [entry('a', 6), { ...entry('b'), credits: null }, entry('c')];
  expect(sharesAfter([...fortnight, { credits: 10, byModel }]).ofDay).toEqual({
    ...{ 'a s': 0.6, 'b s': Number.NaN, 'c s': 0 },
  });
});

test('a day whose models come without any credits has no shares, and does not count before', () => {
  const renamed = { credits: 10, byModel: [entry('a'), entry('b')] };
  expect(sharesAfter([...fortnight, renamed])).toEqual({
    ofDay: undefined,
    before: { 'a s': 0.6, 'b s': 0.4 },
  });
  const before = [...fortnight.slice(7), ...Array<KnownDay>(7).fill(renamed)];
  expect(sharesAfter([...before, usual]).before).toEqual({ 'a s': 0.6, 'b s': 0.4 });
});

test('the tiers of a model are apart', () => {
  const byModel = [entry('a', 2, 's'), entry('a', 8, 't')];
  const { ofDay, before } = sharesAfter([...fortnight, { credits: 10, byModel }]);
  expect(ofDay).toEqual({ 'a s': 0.2, 'a t': 0.8, 'b s': 0 });
  expect(before).toEqual({ 'a s': 0.6, 'a t': 0, 'b s': 0.4 });
});

test('a baseline needs seven known days of the fourteen, and one with credits by model', () => {
  const ago = (days: number, known: readonly (KnownDay | undefined)[]) => [
    ...known,
    ...Array<undefined>(days - known.length).fill(undefined),
    usual,
  ];
  const seven = Array<KnownDay>(7).fill(usual);
  expect(sharesAfter(ago(14, seven)).before).toEqual({ 'a s': 0.6, 'b s': 0.4 });
  expect(sharesAfter(ago(14, seven.slice(1))).before).toBeUndefined();
  expect(sharesAfter(ago(15, seven)).before).toBeUndefined();
  expect(sharesAfter(ago(14, [usual, 0, 0, 'idle', 'idle', 0, 'idle'])).before).toEqual({
    ...{ 'a s': 0.6, 'b s': 0.4 },
  });
  expect(sharesAfter(ago(14, [usual, 7, 0, 'idle', 'idle', 0, 'idle'])).before).toBeUndefined();
  expect(sharesAfter(ago(14, Array<KnownDay>(7).fill('idle'))).before).toBeUndefined();
});

test('beyond as many models as a breakdown has, those with the fewest credits of both are other', () => {
  const rare = (count: number) => Array.from({ length: count }, (_, index) => entry(`m${index}`, 2));
  const byModel = [entry('new', 9), ...rare(MAX_PARTS - 1)];
  const before = [entry('old', 3), entry('least', 1)];
  const known = Array<KnownDay>(13).fill('idle');
  const shares = sharesAfter([...known, { credits: 4, byModel: before }, { credits: 100, byModel }]);
  expect(Object.keys(shares.ofDay ?? {})).toHaveLength(MAX_PARTS);
  expect(shares.ofDay).toMatchObject({ 'new s': 0.09, 'old s': 0, 'other other': 0.04 });
  expect(shares.before).toMatchObject({ 'new s': 0, 'old s': 0.75, 'other other': 0.25 });
});
