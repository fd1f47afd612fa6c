import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { explain } from '../../../src/collectors/explain/explain.ts';
import { fourWeeksBefore } from '../../../src/collectors/explain/usage.ts';
import {
  explanationJson,
  explanationMarkdown,
  explanationText,
  sentenceOf,
} from '../../../src/page/explanation.ts';
import { viewOfDays } from '../../collectors/explain/view.ts';
import { createFakeView } from '../../collectors/fakes.ts';
import { dayNamed } from '../../support/day.ts';
import { COST, under } from '../../support/money.ts';

const day = dayNamed('2026-11-24');

type Figures = Parameters<typeof viewOfDays>[0][string];

function explained(before: Figures, after: Figures) {
  const rows = { '2026-11-03': before, '2026-11-10': before, '2026-11-17': before, '2026-11-24': after };
  return explain(viewOfDays(rows, day), fourWeeksBefore(day), [day]);
}

describe('an explanation', () => {
  const usual = { users: 10, sessions: 20, tokens: 2_000 };
  const before = { ...usual, credits: 400, models: { old: 400 } };

  test('is one sentence', () => {
    const explanation = explained(before, { ...usual, credits: 900, models: { new: 900 } });
    expect(explanation && sentenceOf(explanation)).toBe(
      'Credits a day rose by 125 %, from 400 to 900, mostly by models used, first of all new (+500).',
    );
  });

  test('says so where there is none', () => {
    const text = 'The credits of one of the sides are unknown on every day.';
    expect(explanationText([{ org: 'acme', explanation: undefined }])).toBe(`acme\n${text}\n`);
    expect(explanationJson([{ org: 'acme', explanation: undefined }])).toBe('{"org":"acme","known":false}\n');
  });

  test('of the worked example in the documentation is what the command prints', () => {
    const explanation = explained(
      { credits: 1_000, models: { cheap: 1_000 }, users: 10, sessions: 20, tokens: 1_000 },
      { credits: 4_000, models: { cheap: 1_000, dear: 3_000 }, users: 10, sessions: 40, tokens: 2_000 },
    );
    const docs = readFileSync(new URL('../../../docs/explain.md', import.meta.url), 'utf8');
    expect(docs).toContain(explanationText([{ org: 'acme', explanation }]).trimEnd());
  });

  test('names models also where no tokens are counted', () => {
    const nothing = { users: 0, sessions: 0, tokens: 0 };
    const ofModels = (credits: number) =>
      explained(
        { ...nothing, credits: 400, models: { old: 400 } },
        { ...nothing, credits, models: { old: credits } },
      );
    const text = explanationText([{ org: 'octo', explanation: ofModels(900) }]);
    expect(text).toContain('Where, by model\n  old  +500');
    expect(text).not.toContain('Models cannot be told');
    const explanation = ofModels(900);
    const unknown = explanation && { ...explanation, byModel: undefined };
    expect(explanationText([{ org: 'octo', explanation: unknown }])).toContain(
      'Models cannot be told: the platform sent no usable breakdown.',
    );
  });

  test('cannot break a table of Markdown by the names of models', () => {
    const explanation = explained(before, { ...usual, credits: 900, models: { 'a|b*': 900 } });
    expect(explanationMarkdown([{ org: 'acme', explanation }])).toContain('| a\\|b\\* | +900 |');
  });

  test('of a platform without credits is about the cost, to the hundredth of its currency', () => {
    const cost = (amount: number) => ({ cost: amount, tokens: { input: 10, output: 10 } });
    const weeks = fourWeeksBefore(day).map((before) => [before, cost(4.004)] as const);
    const view = createFakeView({ rows: new Map([...weeks, [day, cost(9)]]) });
    const explanation = explain(under(view, { money: COST }), fourWeeksBefore(day), [day]);
    expect(explanationText([{ org: 'acme', explanation }])).toContain(
      'Cost a day rose by 125 %, from 4.00 to 9.00 USD, mostly by cost per token (+5.00).',
    );
    expect(explanationMarkdown([{ org: 'acme', explanation }])).toContain('| What changed | USD a day |');
    expect(JSON.parse(explanationJson([{ org: 'acme', explanation }]))).toMatchObject({
      currency: 'USD',
      before: { cost: 4 },
      after: { cost: 9 },
      cause: 'cost_per_token',
      what: [
        { cause: 'cost_per_token', cost: 5 },
        { cause: 'tokens', cost: 0 },
      ],
    });
    expect(explanationText([{ org: 'acme', explanation: undefined, measure: 'cost' }])).toBe(
      'acme\nThe cost of one of the sides is unknown on every day.\n',
    );
  });

  test('of several platforms names that of each organization', () => {
    const explanation = explained(before, { ...usual, credits: 900, models: { new: 900 } });
    const platform = { name: 'copilot', title: 'GitHub Copilot' };
    const one = { org: 'octo', platform, explanation };
    expect(explanationText([one])).toMatch(/^octo \(GitHub Copilot\): 2026-11-24 against the mean of /);
    expect(explanationText([{ ...one, explanation: undefined }])).toMatch(/^octo \(GitHub Copilot\)\n/);
    expect(explanationMarkdown([one])).toMatch(/^## octo \(GitHub Copilot\): /);
    expect(JSON.parse(explanationJson([one]))).toMatchObject({
      org: 'octo',
      platform: 'copilot',
      known: true,
    });
  });
});
