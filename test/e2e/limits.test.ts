import { expect, test } from 'vitest';
import { startStory } from './harness.ts';

const sum = (values: Readonly<Record<string, number>>) =>
  Object.values(values).reduce((all, one) => all + one, 0);

test('over values_per_label the largest values stay, the rest is other, and sums do not change', async () => {
  const sandbox = { repos: 6 };
  const whole = await (await startStory({ sandbox })).page();
  const story = await startStory({ sandbox, file: 'limits: {values_per_label: {tool: 5, repo: 3}}' });
  const page = await story.page();
  const name = 'agent_platform_daily_tool_calls_by_tool';
  const [all, few] = [whole.by('tool', name), page.by('tool', name)];
  const largest = Object.entries(all)
    .sort(([one, calls], [other, more]) => more - calls || (one < other ? -1 : 1))
    .slice(0, 5);
  expect(few).toMatchObject(Object.fromEntries(largest));
  expect(Object.keys(few)).toHaveLength(6);
  expect(sum(few)).toBe(sum(all));
  expect(
    story.logged('level=warn', 'limits.values_per_label', 'collector=tools', 'labels=tool'),
  ).toHaveLength(1);
  expect(page.value('agent_platform_exporter_values_folded', { metric: name })).toBe(
    Object.keys(all).length - 5,
  );

  expect(Object.keys(page.by('repo', 'agent_platform_readiness_ratio'))).toHaveLength(3);
  const applications = 'agent_platform_readiness_applications';
  expect(sum(page.by('repo', applications))).toBe(sum(whole.by('repo', applications)));
  expect(
    page.value('agent_platform_exporter_values_folded', { metric: 'agent_platform_readiness_ratio' }),
  ).toBe(3);
});

test('over limits.series whole families are dropped, details first, and the page says so', async () => {
  const file = 'readiness: {criterion_counts: true}\n';
  const whole = await (await startStory({ file })).page();
  const story = await startStory({ file: `${file}limits: {series: 900}` });
  const page = await story.page();
  expect(whole.platform().length).toBeGreaterThan(900);
  expect(page.platform().length).toBeLessThanOrEqual(900);
  expect(page.find('agent_platform_readiness_criterion_passed')).toEqual([]);
  expect(page.find('agent_platform_daily_tool_calls_by_tool')).toHaveLength(
    whole.find('agent_platform_daily_tool_calls_by_tool').length,
  );
  expect(page.value('agent_platform_daily_credits')).toBe(whole.value('agent_platform_daily_credits'));
  expect(page.value('agent_platform_exporter_families_dropped', { collector: 'readiness' })).toBeGreaterThan(
    0,
  );
  expect(page.value('agent_platform_exporter_families_dropped', { collector: 'tokens' })).toBe(0);
  expect(story.logged('level=warn', 'limits.series', 'readiness_criterion_passed')).toHaveLength(1);
});

test('one organization’s many series do not affect another', async () => {
  const story = await startStory({ sandbox: { orgs: 2 }, file: 'limits: {series: 700}' });
  const page = await story.page();
  for (const org of ['acme', 'globex']) {
    expect(page.platform(org).length).toBeLessThanOrEqual(350);
    expect(page.value('agent_platform_daily_credits', { org })).toBeGreaterThan(0);
  }
});
