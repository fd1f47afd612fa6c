import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { DAY, HOUR, type Story, startStory } from './harness.ts';

const DATA_DAY = 'agent_platform_data_day_timestamp_seconds';

/** Which of two collectors are published, as the status says it. */
function publishedIn(story: Story) {
  const [acme] = story.service.status().orgs;
  const found = acme?.collectors.filter(({ name }) => ['tokens', 'activity'].includes(name)) ?? [];
  return Object.fromEntries(found.map(({ name, published }) => [name, published]));
}

test('series disappear once the last good data is too old, their day does not, and they return', async () => {
  const story = await startStory({ sandbox: { repos: 6 }, flags: ['metrics.max-age=7d'] });
  const before = await story.page();
  story.platform.setFaults(['500@tokens', '500@readiness']);

  story.clock.advance(7 * DAY - HOUR);
  await story.poll();
  const shortBefore = await story.page();
  expect(shortBefore.value('agent_platform_daily_credits')).toBe(
    before.value('agent_platform_daily_credits'),
  );

  story.clock.advance(2 * HOUR);
  const page = await waitFor(async () => {
    const now = await story.page();
    expect(now.find('agent_platform_daily_credits')).toEqual([]);
    return now;
  });
  expect(page.platform().filter((line) => /_daily_(credits|tokens)|_readiness_/.test(line))).toEqual([]);
  expect(page.value(DATA_DAY, { dataset: 'tokens' })).toBe(before.value(DATA_DAY, { dataset: 'tokens' }));
  expect(page.value('agent_platform_daily_active_users')).toBeDefined();
  expect(page.value('agent_platform_exporter_series', { collector: 'tokens' })).toBe(0);
  expect(publishedIn(story)).toEqual({ tokens: false, activity: true });
  expect(story.logged('older than metrics.max-age', 'collector=tokens')).toHaveLength(1);

  story.platform.setFaults([]);
  expect(await story.poll()).toEqual([]);
  expect(publishedIn(story)).toEqual({ tokens: true, activity: true });
  const after = await story.page();
  expect(after.value('agent_platform_daily_credits')).toBeGreaterThanOrEqual(0);
  expect(after.find('agent_platform_readiness_ratio')).toHaveLength(6);
  expect(after.value(DATA_DAY, { dataset: 'tokens' })).toBe(Date.UTC(2026, 10, 26) / 1000);
});
