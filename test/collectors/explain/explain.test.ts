import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CREDITS } from '../../../src/catalog/money.ts';
import type { View } from '../../../src/catalog/view.ts';
import {
  decompose,
  type ModelUsage,
  roundTo,
  type Usage,
} from '../../../src/collectors/explain/decompose.ts';
import { explain, explainSides } from '../../../src/collectors/explain/explain.ts';
import { fourWeeksBefore } from '../../../src/collectors/explain/usage.ts';
import { creditsChangeByCause } from '../../../src/collectors/spend/comparisons.ts';
import { createRandom } from '../../fuzz/random.ts';
import { dayNamed } from '../../support/day.ts';
import { under } from '../../support/money.ts';
import { propertyRuns } from '../../support/thoroughness.ts';
import { viewOfDays } from './view.ts';
import { company, PLANTED, type Planted, planted, shop } from './worlds.ts';

const amount = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 1e9 }));
const model = fc
  .record({ tokens: amount, rate: fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 100, noNaN: true })) })
  .map(({ tokens, rate }) => ({ tokens, credits: tokens === 0 ? rate : tokens * rate }));
const usage: fc.Arbitrary<Usage> = fc
  .record({
    models: fc.option(fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), model), { nil: undefined }),
    rest: amount,
    people: fc.option(amount, { nil: undefined }),
    sessions: fc.option(amount, { nil: undefined }),
    tokens: fc.option(amount, { nil: undefined }),
  })
  .map(({ models, rest, ...figures }) => ({
    ...figures,
    models: models && new Map<string, ModelUsage>(Object.entries(models)),
    credits: rest + Object.values(models ?? {}).reduce((sum, { credits }) => sum + credits, 0),
  }));

function side(of: Usage) {
  return { days: [dayNamed('2026-11-24')], usage: of, cached: undefined, teams: undefined };
}

test('the parts of any change add up to it, to the credit', () => {
  fc.assert(
    fc.property(usage, usage, (before, after) => {
      const { from, to, what, models } = explainSides({
        before: side(before),
        after: side(after),
        sameWeekdays: true,
      });
      expect(what.reduce((sum, { credits }) => sum + credits, 0)).toBe(to - from);
      for (const { credits } of what) expect(Number.isSafeInteger(credits)).toBe(true);
      for (const [cause, parts] of models) {
        const own = what.find(({ name }) => name === cause)?.credits;
        expect(parts.reduce((sum, { credits }) => sum + credits, 0)).toBe(own);
      }
    }),
    { numRuns: propertyRuns(10_000) },
  );
});

test('rounded parts are within one of their amounts and add up to the rounded sum', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1 }), (amounts) => {
      const total = Math.round(amounts.reduce((sum, one) => sum + one, 0)) + 0;
      const rounded = roundTo(total, amounts);
      expect(rounded.reduce((sum, one) => sum + one, 0)).toBe(total);
      for (const [index, one] of rounded.entries()) {
        expect(Math.abs(one - (amounts[index] ?? 0))).toBeLessThanOrEqual(1.01);
      }
    }),
  );
});

describe('a change', () => {
  const usual: Usage = {
    credits: 1_000,
    people: 10,
    sessions: 20,
    tokens: 2_000,
    models: new Map([['a', { credits: 1_000, tokens: 2_000 }]]),
  };
  const causesOf = (before: Usage, after: Usage) =>
    Object.fromEntries(decompose(before, after).map(({ cause, credits }) => [cause, Math.round(credits)]));

  test('of nothing but people has no other cause', () => {
    const models = new Map([['a', { credits: 2_000, tokens: 4_000 }]]);
    const after = { credits: 2_000, people: 20, sessions: 40, tokens: 4_000, models };
    expect(causesOf(usual, after)).toEqual({
      ...{ people: 1_000, sessions_per_person: 0, tokens_per_session: 0 },
      ...{ models_used: 0, price_of_tokens: 0, unattributed: 0 },
    });
  });

  test('by a new version of a model is what was used, and not its price', () => {
    const models = new Map([['b', { credits: 1_500, tokens: 2_000 }]]);
    const { models_used, price_of_tokens, people } = causesOf(usual, { ...usual, credits: 1_500, models });
    expect([models_used, price_of_tokens, people]).toEqual([500, 0, 0]);
  });

  test('by a price is not what was used', () => {
    const models = new Map([['a', { credits: 1_500, tokens: 2_000 }]]);
    const { models_used, price_of_tokens } = causesOf(usual, { ...usual, credits: 1_500, models });
    expect([models_used, price_of_tokens]).toEqual([0, 500]);
  });

  test('from nothing, or to nothing, is use as a whole', () => {
    const nothing = { credits: 0, people: 0, sessions: 0, tokens: 0, models: new Map() };
    expect(causesOf(nothing, usual)).toEqual({ use: 1_000, unattributed: 0 });
    expect(causesOf(usual, nothing)).toEqual({ use: -1_000, unattributed: 0 });
    expect(causesOf(nothing, nothing)).toEqual({ use: 0, unattributed: 0 });
  });

  test('without sessions on a side joins the factors around them', () => {
    const after = { ...usual, sessions: 0 };
    expect(Object.keys(causesOf(usual, after))).toEqual([
      ...['people', 'tokens_per_person', 'models_used', 'price_of_tokens', 'unattributed'],
    ]);
  });

  test('without known people begins with sessions', () => {
    expect(Object.keys(causesOf({ ...usual, people: undefined }, usual)).slice(0, 2)).toEqual([
      ...['sessions', 'tokens_per_session'],
    ]);
  });

  test('without a breakdown by model has credits per token as one cause, and nothing unattributed', () => {
    expect(Object.keys(causesOf({ ...usual, models: undefined }, usual))).toEqual([
      ...['people', 'sessions_per_person', 'tokens_per_session', 'credits_per_token'],
    ]);
  });

  test('credits of a model without tokens, and of no model, stand alone', () => {
    const models = new Map([...(usual.models ?? []), ['free', { credits: 7, tokens: 0 }]]);
    expect(causesOf(usual, { ...usual, credits: 1_010, models })).toMatchObject({ unattributed: 10 });
  });
});

describe.each([
  ['a company', company],
  ['a shop', shop],
])('of 200 causes planted into %s', (_name, habitsOf) => {
  const expected: Readonly<Record<Planted, string | undefined>> = {
    people: 'people',
    'longer sessions': 'tokens_per_session',
    'new model': 'models_used',
    price: 'price_of_tokens',
    team: 'green',
    diffuse: undefined,
  };
  const random = createRandom(2026);
  const found = new Map<Planted, { right: number; all: number }>();
  for (let index = 0; index < 300; index++) {
    const cause = index < 200 ? (PLANTED[index % 5] ?? 'diffuse') : 'diffuse';
    const { what, byTeam, cause: named } = explainSides(planted(habitsOf(random), cause, random));
    const team = habitsOf === shop ? 'back' : 'green';
    const isRight =
      cause === 'team'
        ? byTeam?.[0]?.name === team
        : cause === 'diffuse'
          ? named === undefined
          : what[0]?.name === expected[cause];
    const count = found.get(cause) ?? { right: 0, all: 0 };
    found.set(cause, { right: count.right + (isRight ? 1 : 0), all: count.all + 1 });
  }

  test('nine of ten come first in their ranking', () => {
    const rows = [...found].filter(([cause]) => cause !== 'diffuse').map(([, count]) => count);
    const [right, all] = [
      rows.reduce((sum, one) => sum + one.right, 0),
      rows.reduce((sum, one) => sum + one.all, 0),
    ];
    expect(all).toBe(200);
    expect(right / all).toBeGreaterThanOrEqual(0.9);
  });

  test('four of five diffuse ones have no single cause', () => {
    const { right = 0, all = 0 } = found.get('diffuse') ?? {};
    expect(right / all).toBeGreaterThanOrEqual(0.8);
  });
});

describe('of stored days', () => {
  const day = dayNamed('2026-11-24');
  const rows = {
    '2026-11-03': { credits: 400, models: { old: 400 }, users: 10, sessions: 20, tokens: 2_000 },
    '2026-11-10': { credits: 400, models: { old: 400 }, users: 10, sessions: 20, tokens: 2_000 },
    '2026-11-17': { credits: 400, models: { old: 400 }, users: 10, sessions: 20, tokens: 2_000 },
    '2026-11-23': { credits: 9_999, models: { old: 9_999 }, users: 10, sessions: 20, tokens: 2_000 },
    '2026-11-24': { credits: 900, models: { new: 900 }, users: 10, sessions: 20, tokens: 2_000 },
  };

  test('the newest day is compared with the known ones of the same weekdays before', () => {
    const explanation = explain(viewOfDays(rows, day), fourWeeksBefore(day), [day]);
    expect(explanation).toMatchObject({ from: 400, to: 900, cause: { name: 'models_used', credits: 500 } });
    expect(explanation?.before.days).toEqual(['2026-11-03', '2026-11-10', '2026-11-17']);
    expect(explanation?.byModel).toEqual([
      { name: 'new', credits: 900 },
      { name: 'old', credits: -400 },
    ]);
  });

  test('weekdays of one side only are left out, unless there are no others', () => {
    const view = viewOfDays(rows, day);
    const range = ['2026-11-23', '2026-11-24'].map(dayNamed);
    expect(explain(view, [dayNamed('2026-11-17')], range)).toMatchObject({ to: 900, sameWeekdays: true });
    expect(explain(view, [dayNamed('2026-11-17')], [dayNamed('2026-11-23')])).toMatchObject({
      ...{ to: 9_999, sameWeekdays: false },
    });
  });

  test('the metric has the parts of the change, and none without a known day on a side', () => {
    const samples = [...(creditsChangeByCause.samplesOf(viewOfDays(rows, day), day) ?? [])];
    expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(500);
    expect(samples).toContainEqual({ labels: { cause: 'models_used' }, value: 500 });
    expect(samples).toContainEqual({ labels: { cause: 'people' }, value: 0 });
    const first = dayNamed('2026-11-03');
    expect(creditsChangeByCause.samplesOf(viewOfDays(rows, first), first)).toBeUndefined();
  });

  test('the worked example of the metric is what it publishes', () => {
    const usual = { credits: 1e6, models: { one: 1e6 }, users: 10, sessions: 20, tokens: 200_000 };
    const doubled = { credits: 2e6, models: { one: 2e6 }, users: 20, sessions: 40, tokens: 400_000 };
    const example = { '2026-11-10': usual, '2026-11-17': usual, '2026-11-24': doubled };
    const samples = [...(creditsChangeByCause.samplesOf(viewOfDays(example, day), day) ?? [])];
    expect(samples.filter(({ value }) => value !== 0)).toEqual([{ labels: { cause: 'people' }, value: 1e6 }]);
  });

  test('tokens are no cause of their own any more once the people of the day are known', () => {
    const usual = { credits: 1e6, models: { one: 1e6 }, users: 10, sessions: 20, tokens: 200_000 };
    const tokensWhere = (users: number, sessions: number) => {
      const doubled = { credits: 2e6, models: { one: 2e6 }, users, sessions, tokens: 400_000 };
      const view = viewOfDays({ '2026-11-17': usual, '2026-11-24': doubled }, day);
      const samples = [...(creditsChangeByCause.samplesOf(view, day) ?? [])];
      return samples.find(({ labels }) => labels.cause === 'tokens')?.value;
    };
    expect(tokensWhere(0, 0)).toBe(1e6);
    expect(tokensWhere(20, 40)).toBe(0);
  });

  test('sessions of a part of the use explain nothing', () => {
    const money = { ...CREDITS, hasPartialSessions: true };
    const ofPart = under(viewOfDays(rows, day), { money });
    const causes = (view: View) =>
      [...(creditsChangeByCause.samplesOf(view, day) ?? [])].map(({ labels }) => labels.cause);
    expect(causes(viewOfDays(rows, day))).toContain('tokens_per_session');
    expect(causes(ofPart)).toContain('tokens_per_person');
    expect(causes(ofPart).filter((cause) => cause.includes('session'))).toEqual([]);
  });

  test('without a known day on a side there is no explanation', () => {
    const explanation = explain(viewOfDays(rows, day), [dayNamed('2026-10-01')], [day]);
    expect(explanation).toBeUndefined();
  });
});
