import { describe, expect, test } from 'vitest';
import { billOf, startCopilotStory } from './copilot-story.ts';
import { DAY, HOUR, NOON } from './harness.ts';

const flags = ['history.start=2026-06-01'];
const collectors = ['tokens', 'spend'];

/** The sum of a field of the items of a bill. */
function sum(items: readonly Readonly<Record<string, number>>[], field: string): number {
  return items.reduce((all, item) => all + Number(item[field]), 0);
}

describe('the bill of Copilot', () => {
  test('is the credits and the money of the newest day, by model, and of the month', async () => {
    const story = await startCopilotStory({ collectors, flags });
    const page = await story.page();
    const items = await billOf(story, '2026-11-19');
    const value = (name: string, labels = {}) => page.value(`agent_platform_${name}`, labels);
    expect(value('daily_credits')).toBeCloseTo(sum(items, 'grossQuantity'), 6);
    expect(value('daily_cost', { currency: 'USD' })).toBeCloseTo(sum(items, 'grossAmount'), 6);
    expect(value('daily_billed_cost', { currency: 'USD' })).toBe(0);
    for (const [model, ofModel] of Map.groupBy(items, (item) => String(item['model']))) {
      expect(value('daily_credits_by_model', { model })).toBeCloseTo(sum(ofModel, 'grossQuantity'), 6);
      expect(value('daily_cost_by_model', { model })).toBeCloseTo(sum(ofModel, 'grossAmount'), 6);
    }
    expect(value('daily_credits_unattributed', { breakdown: 'model' })).toBe(0);
    const month = await billOf(story, '2026-11');
    expect(value('credits_month_to_date')).toBeCloseTo(sum(month, 'grossQuantity'), 4);
    expect(page.text).not.toMatch(/^agent_platform_(daily_tokens|daily_list_cost|daily_cache)/m);
    expect(story.logged('level=warn')).toEqual([]);
  });

  test('is net of what seats include once the pool is empty', async () => {
    const story = await startCopilotStory({
      sandbox: { users: 40 },
      ...{ collectors, begins: NOON + 2 * DAY },
    });
    const items = await billOf(story, '2026-11-21');
    const page = await story.page();
    expect(sum(items, 'netAmount')).toBeGreaterThan(0);
    expect(page.value('agent_platform_daily_billed_cost')).toBeCloseTo(sum(items, 'netAmount'), 6);
    for (const [model, ofModel] of Map.groupBy(items, (item) => String(item['model'])))
      expect(page.value('agent_platform_daily_billed_cost_by_model', { model })).toBeCloseTo(
        sum(ofModel, 'netAmount'),
        6,
      );
  });

  test('is asked six hours after the end of a day, and again when it is revised', async () => {
    const story = await startCopilotStory({ collectors, begins: Date.UTC(2026, 10, 20, 5, 30) });
    const day = async () =>
      Number((await story.page()).value('agent_platform_data_day_timestamp_seconds', { dataset: 'tokens' })) *
      1000;
    expect(new Date(await day()).toISOString()).toContain('2026-11-18');
    story.clock.advance(HOUR);
    await story.poll();
    expect(new Date(await day()).toISOString()).toContain('2026-11-19');
    const before = (await story.page()).value('agent_platform_daily_credits');
    story.sandbox.reviseDay('2026-11-19');
    await story.poll();
    const after = (await story.page()).value('agent_platform_daily_credits');
    expect(after).toBeCloseTo(sum(await billOf(story, '2026-11-19'), 'grossQuantity'), 6);
    expect(after).not.toBe(before);
  });
});
