import { expect, test } from 'vitest';
import { startStory } from './harness.ts';

const TOOLS = 'agent_platform_daily_tool_calls_by_tool';
const COMMITS = 'agent_platform_daily_git_commits';
const EXCLUDED = 'agent_platform_exporter_families_excluded';
const FOLDED = 'agent_platform_exporter_values_folded';

test('what metrics.exclude names is not published, and the rest is as before', async () => {
  const whole = (await (await startStory()).page()).platform();
  const story = await startStory({ file: `metrics: {exclude: [${COMMITS}, '${TOOLS}*']}\n` });
  const page = await story.page();
  const left = (line: string) => !line.startsWith(`${COMMITS}{`) && !line.startsWith(`${TOOLS}{`);
  expect(page.platform()).toEqual(whole.filter(left));
  expect(page.platform().length).toBeLessThan(whole.length);
  expect(page.by('family', EXCLUDED)).toEqual({ [COMMITS]: 1, [TOOLS]: 1 });
  const text = (await (await story.get('/')).text()).replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
  expect(text).toContain('Commits Not published: excluded by metrics.exclude.');
});

test('a reload publishes what is no longer excluded, and removes what is', async () => {
  const story = await startStory({ file: `limits: {values_per_label: {tool: 2}}\n` });
  expect((await story.page()).value(FOLDED, { metric: TOOLS })).toBeGreaterThan(0);
  await story.reload((config) => ({ ...config, metrics: { ...config.metrics, excluded: new Set([TOOLS]) } }));
  const without = await story.page();
  expect(without.find(TOOLS)).toEqual([]);
  expect(without.by('family', EXCLUDED)).toEqual({ [TOOLS]: 1 });
  expect(without.find(FOLDED, { metric: TOOLS })).toEqual([]);
  await story.reload((config) => config);
  const again = await story.page();
  expect(again.find(TOOLS)).toHaveLength(3);
  expect(again.find(EXCLUDED)).toEqual([]);
});

test('the counts of each criterion are off by default', async () => {
  const page = await (await startStory()).page();
  expect(page.find('agent_platform_readiness_criterion_passed')).toEqual([]);
  expect(page.find('agent_platform_readiness_criterion_evaluated')).toEqual([]);
  expect(page.find('agent_platform_readiness_criterion_ratio').length).toBeGreaterThan(100);
  const counts = await (await startStory({ file: 'readiness: {criterion_counts: true}\n' })).page();
  expect(counts.find('agent_platform_readiness_criterion_passed').length).toBe(
    page.find('agent_platform_readiness_criterion_ratio').length,
  );
});
