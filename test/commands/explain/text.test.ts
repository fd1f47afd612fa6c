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
import { dayNamed } from '../../support/day.ts';

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

  test('cannot break a table of Markdown by the names of models', () => {
    const explanation = explained(before, { ...usual, credits: 900, models: { 'a|b*': 900 } });
    expect(explanationMarkdown([{ org: 'acme', explanation }])).toContain('| a\\|b\\* | +900 |');
  });
});
