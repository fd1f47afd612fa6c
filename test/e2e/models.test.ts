import { expect, test } from 'vitest';
import { DAY, startStory } from './harness.ts';
import { listOf } from './recount.ts';

const day20 = { startDate: '2026-11-20', endDate: '2026-11-20' };

test('if rows lack by_model, the models are requested, and keep their tiers', async () => {
  const story = await startStory({ collectors: ['tokens'] });
  const tiers = new Map<string | undefined, string | undefined>();
  for (const { labels } of (await story.page()).find('agent_platform_daily_credits_by_model')) {
    tiers.set(labels.get('model'), labels.get('tier'));
  }
  story.platform.setFaults(['no-by-model']);
  story.clock.advance(DAY);
  expect(await story.poll()).toEqual([]);
  const page = await story.page();
  const answer = await story.ask('/api/v1/analytics/tokens', { ...day20, group_by: 'model' });
  const grouped = new Map(
    listOf(answer, 'data').map((row) => [row['group_key'], Number(row['billable_tokens'])]),
  );

  expect(grouped.size).toBeGreaterThan(3);
  const sums = new Map<unknown, number>();
  const used = page.find('agent_platform_daily_credits_by_model').filter(({ value }) => value !== '0');
  for (const { labels, value } of used) {
    const model = labels.get('model');
    sums.set(model, (sums.get(model) ?? 0) + Number(value));
    expect(labels.get('tier'), 'a tier that the model was seen with').toMatch(/^(standard|thinking)$/);
    expect(tiers.has(model)).toBe(true);
  }
  expect(sums).toEqual(grouped);
  // Nothing is known about the people's usage on that day, so nothing is published.
  expect(Object.keys(page.by('breakdown', 'agent_platform_daily_credits_unattributed'))).toEqual(['model']);
});

test('a model whose tier was never reported has an unknown one', async () => {
  const story = await startStory({ sandbox: { faults: ['no-by-model'] }, collectors: ['tokens'] });
  const page = await story.page();
  const found = page.find('agent_platform_daily_credits_by_model');
  expect(found.length).toBeGreaterThan(3);
  expect(new Set(found.map(({ labels }) => labels.get('tier')))).toEqual(new Set(['unknown']));
});
