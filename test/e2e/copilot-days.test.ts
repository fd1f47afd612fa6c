import { describe, expect, test } from 'vitest';
import { addDays, type Day, daysFrom } from '../../src/catalog/day.ts';
import { startCopilotStory } from './copilot-story.ts';
import { DAY, HOUR } from './harness.ts';

const collectors = ['activity', 'spend', 'tokens'];
const DAY_OF = 'agent_platform_data_day_timestamp_seconds';

describe('a day that is not there yet', () => {
  test('is neither a failure nor covered, and comes when it is there', async () => {
    const story = await startCopilotStory({ collectors, begins: Date.UTC(2026, 10, 9, 12) });
    for (let half = 0; half < 8; half++) {
      expect(await story.poll()).toEqual([]);
      const today = new Date(story.clock.now()).toISOString().slice(0, 10) as Day;
      const days = daysFrom(addDays(today, -9), today).toReversed();
      let newest: Day | undefined;
      for (const day of days) {
        newest ??= (await story.rows('organization-1-day', day)).length > 0 ? day : undefined;
      }
      expect((await story.page()).value(DAY_OF, { dataset: 'activity' })).toBe(
        Date.parse(newest ?? '') / 1000,
      );
      story.clock.advance(12 * HOUR);
    }
    expect(story.logged('level=warn')).toEqual([]);
  });

  test('counts after five days as one without use', async () => {
    // The newest report is that of Wednesday, the 11th; on the Sunday before nobody worked.
    const story = await startCopilotStory({ collectors, begins: Date.UTC(2026, 10, 13, 12) });
    const mean = async () => (await story.page()).value('agent_platform_daily_active_users_mean_7d');
    expect(await story.rows('organization-1-day', '2026-11-08')).toEqual([]);
    expect(await mean()).toBeUndefined();
    story.clock.advance(DAY);
    await story.poll();
    const week = daysFrom('2026-11-05' as Day, '2026-11-11' as Day);
    const rows = await Promise.all(week.map((day) => story.rows('organization-1-day', day)));
    const people = rows.flat().map((row) => Number(row['daily_active_users']));
    expect(await mean()).toBeCloseTo(people.reduce((sum, one) => sum + one, 0) / 7, 9);
  });
});

test('reports that cannot be downloaded are a failure with each run, though newer days are not there yet', async () => {
  const story = await startCopilotStory({ collectors, org: { linkHosts: [] } });
  const success = async () =>
    (await story.page()).value('agent_platform_exporter_collector_success', { collector: 'activity' });
  expect(await success()).toBe(0);
  for (let hour = 0; hour < 30; hour += 10) {
    story.clock.advance(10 * HOUR);
    expect(await story.poll()).toEqual(['octo/activity']);
    expect(await success()).toBe(0);
  }
  expect(story.logged('Collector failing').join('\n')).toMatch(/activity.*link to 127\.0\.0\.1.*link_hosts/s);
});

describe('an enterprise', () => {
  test('has its own bill, report and number of seats, and days that are answered as absent', async () => {
    const story = await startCopilotStory({ collectors, account: 'enterprises/acme-inc', key: 'classic' });
    expect(story.logged('level=warn')).toEqual([]);
    const page = await story.page();
    expect(page.value('agent_platform_daily_credits')).toBeGreaterThan(0);
    expect(page.value('agent_platform_daily_active_users')).toBeGreaterThan(0);
    const { total_seats: seats } = await story.api('/enterprises/acme-inc/copilot/billing/seats');
    expect(page.value('agent_platform_seats')).toBe(seats);
    expect(page.value('agent_platform_org_info', { org_id: 'copilot:127.0.0.1:enterprises/acme-inc' })).toBe(
      1,
    );
  });

  test('that is not there is a failure, since its other report is absent, too', async () => {
    const story = await startCopilotStory({ collectors, account: 'enterprises/nobody', key: 'classic' });
    expect(await story.poll()).toEqual(['octo/activity', 'octo/tokens']);
  });
});

test('an answer about another organization is refused', async () => {
  const story = await startCopilotStory({
    collectors: ['tokens'],
    org: { orgId: 'copilot:127.0.0.1:globex-org' },
  });
  expect(await story.poll()).toEqual(['octo/tokens']);
  expect((await story.page()).value('agent_platform_daily_credits')).toBeUndefined();
});
