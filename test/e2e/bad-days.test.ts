import { expect, test } from 'vitest';
import { DAY, HOUR, startStory, YESTERDAY } from './harness.ts';

const SUCCESS = 'agent_platform_exporter_collector_success';
const UNCOVERED = 'agent_platform_history_uncovered';
const DATA_DAY = 'agent_platform_data_day_timestamp_seconds';

test('a day that cannot be served costs that day only, and none after it', async () => {
  const story = await startStory({
    sandbox: { faults: ['bad-day=2026-11-05@tokens'] },
    flags: ['no-collector.readiness', 'no-collector.wiki'],
  });
  for (let days = 0; days < 10; days += 1) {
    const page = await story.page();
    const newest = page.by('dataset', DATA_DAY);
    expect(newest['tokens']).toBe(newest['tools']);
    expect(newest['tokens']).toBeGreaterThanOrEqual((Date.UTC(2026, 10, 17) + days * DAY) / 1000);
    const uncovered = page.by('dataset', UNCOVERED);
    expect(uncovered['tokens']).toBe((uncovered['tools'] ?? 0) + 1);
    expect(page.value(SUCCESS, { collector: 'tokens' })).toBe(1);
    // Figures that need the day are absent, not too small.
    expect(page.value('agent_platform_credits_month_to_date')).toBeUndefined();
    story.clock.advance(DAY);
    await story.poll();
  }
  expect(story.logged('Days set aside because they fail by themselves', 'days=2026-11-05')).toHaveLength(1);
  story.platform.setFaults([]);
  story.clock.advance(DAY);
  await story.poll();
  const page = await story.page();
  const uncovered = page.by('dataset', UNCOVERED);
  expect(uncovered['tokens']).toBe(uncovered['tools']);
  expect(page.value('agent_platform_credits_month_to_date')).toBeGreaterThan(0);
});

test('a bad newest day fails its collector, and costs nothing else', async () => {
  const story = await startStory({ sandbox: { faults: [`bad-day=${YESTERDAY}@tokens`] } });
  const page = await story.page();
  expect(page.by('collector', SUCCESS)).toMatchObject({ tokens: 0, tools: 1, activity: 1 });
  expect(page.value(DATA_DAY, { dataset: 'tokens' })).toBe(Date.UTC(2026, 10, 18) / 1000);
  expect(page.value(UNCOVERED, { dataset: 'tokens' })).toBe(1);
  story.platform.setFaults([]);
  story.clock.advance(HOUR);
  expect(await story.poll()).toEqual([]);
});

test('days that the platform no longer serves cost a few requests an hour, and no figure', async () => {
  const story = await startStory({
    sandbox: { faults: ['oldest-day=2026-11-01@tokens'] },
    collectors: ['tokens'],
  });
  const page = await story.page();
  expect(page.value(SUCCESS, { collector: 'tokens' })).toBe(1);
  expect(page.value(DATA_DAY, { dataset: 'tokens' })).toBe(Date.UTC(2026, 10, 19) / 1000);
  const older = () =>
    story.platform.requests.filter(
      ({ path, query }) => path.endsWith('/tokens') && (query['startDate'] ?? '') < '2026-11-01',
    ).length;
  const asked = older();
  for (let hours = 0; hours < 24; hours += 1) {
    story.clock.advance(HOUR);
    expect(await story.poll()).toEqual([]);
  }
  expect(older() - asked).toBeLessThan(24 * 15);
});
