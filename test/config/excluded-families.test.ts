import { describe, expect, test } from 'vitest';
import { excludedFamilies } from '../../src/config/load.ts';
import { configErrorOf, load } from './loading.ts';

const names = [
  'agent_platform_daily_credits',
  'agent_platform_daily_tokens',
  'agent_platform_daily_tokens_by_model',
];
const collectors = [
  {
    name: 'tokens',
    description: 'Tokens',
    enabledByDefault: true,
    families: names.map((name) => ({ name, labels: [] })),
  },
];

describe('metrics.exclude', () => {
  test.each([
    [[], []],
    [['agent_platform_daily_tokens'], [1]],
    [['agent_platform_daily_tokens*'], [1, 2]],
    [['*_by_model'], [2]],
    [['agent_*_tokens*model'], [2]],
    [['*'], [0, 1, 2]],
    [['*daily*daily*', '*credits'], [0]],
  ])('%j leaves out the metrics %j', (patterns, expected) => {
    const given = patterns.filter((pattern) => pattern !== '*daily*daily*');
    expect([...excludedFamilies(given, collectors)]).toEqual(expected.map((index) => names[index]));
  });

  test('refuses a pattern that matches nothing, and suggests what was meant', async () => {
    expect(await configErrorOf(() => excludedFamilies(['agent_platform_daily_tokns'], collectors))).toEqual({
      message: 'metrics.exclude: "agent_platform_daily_tokns" matches no metric',
      hint: 'did you mean agent_platform_daily_tokens?',
    });
    // The text between two stars must not be used twice.
    expect((await configErrorOf(() => excludedFamilies(['*daily*daily*'], collectors))).message).toContain(
      'no metric',
    );
    const about = await configErrorOf(() => excludedFamilies(['agent_platform_exporter_up*'], collectors));
    expect(about.hint).toContain('about the data and the exporter are always published');
  });

  test('is a list in the file, and a flag that may be given several times', async () => {
    const expected = new Set(['agent_platform_daily_credits_by_model']);
    const file = "metrics: {exclude: ['agent_platform_daily_credits_*', 'agent_platform_*_by_model']}\n";
    const fromFile = await load({ args: ['--config.file=c.yml'], files: { 'c.yml': file } });
    expect(fromFile.metrics.excluded).toEqual(expected);
    const fromFlags = await load({ args: ['--metrics.exclude=agent_platform_daily_credits_by_model'] });
    expect(fromFlags.metrics.excluded).toEqual(expected);
    expect((await load({})).metrics.excluded).toEqual(new Set());
  });
});
