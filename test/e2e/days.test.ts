import { describe, expect, test } from 'vitest';
import { DAY, HISTORY_START, HOUR, startStory, YESTERDAY } from './harness.ts';
import { daysOf, listOf } from './recount.ts';

const DATA_DAY = 'agent_platform_data_day_timestamp_seconds';
const CREDITS = 'agent_platform_daily_credits';
const day18 = Date.UTC(2026, 10, 18) / 1000;
const day19 = Date.UTC(2026, 10, 19) / 1000;

describe('a day that is late', () => {
  test('leaves the day before published, and is shown by the next run once it is there', async () => {
    const story = await startStory({ sandbox: { faults: ['late'] } });
    const before = await story.page();
    const { day } = await daysOf(story, 'tokens');
    expect(day['date']).toBe('2026-11-18');
    expect(before.value(DATA_DAY, { dataset: 'tokens' })).toBe(day18);
    expect(before.value(CREDITS)).toBe(day['billable_tokens']);
    expect(before.value('agent_platform_exporter_collector_success', { collector: 'tokens' })).toBe(1);

    story.platform.setFaults([]);
    expect(await story.poll()).toEqual([]);
    const page = await story.page();
    expect(page.value(DATA_DAY, { dataset: 'tokens' })).toBe(day19);
    expect(page.value(CREDITS)).toBe((await daysOf(story, 'tokens')).day['billable_tokens']);
    expect(page.value('agent_platform_exporter_day_revisions_total', { dataset: 'tokens' })).toBe(0);
  });

  test('in one dataset is late there alone: its newest known day stays, and no other dataset makes it zero', async () => {
    const story = await startStory({ sandbox: { faults: ['late@tokens'] } });
    const page = await story.page();
    expect(page.value(DATA_DAY, { dataset: 'activity' })).toBe(day19);
    expect(page.value(DATA_DAY, { dataset: 'tokens' })).toBe(day18);
    expect(page.value(CREDITS)).toBe((await daysOf(story, 'tokens')).day['billable_tokens']);
    expect(page.find('agent_platform_daily_credits_by_model').length).toBeGreaterThan(0);
    expect(page.value('agent_platform_history_uncovered', { dataset: 'tokens' })).toBe(1);
    expect(page.value('agent_platform_history_uncovered', { dataset: 'activity' })).toBe(0);
    story.platform.setFaults([]);
    await story.poll();
    const after = await story.page();
    expect(after.value(DATA_DAY, { dataset: 'tokens' })).toBe(day19);
    expect(after.value(CREDITS)).toBe((await daysOf(story, 'tokens')).day['billable_tokens']);
  });

  test('in three datasets is never zero while the fourth has any number above zero on it, but for its main one', async () => {
    const late = '2026-11-18';
    const story = await startStory({
      begins: Date.UTC(2026, 10, 20, 1),
      rewrite: (body, { pathname }) => {
        const rows = listOf(body, 'data');
        if (pathname.endsWith('/productivity')) {
          return {
            ...body,
            data: rows.map((row) => (row['date'] === late ? { ...row, git_commits: 0 } : row)),
          };
        }
        const isLate = /\/analytics\/(tokens|tools|activity)$/.test(pathname);
        return isLate ? { ...body, data: rows.filter(({ date }) => date !== late) } : body;
      },
    });
    const page = await story.page();
    expect(page.value(DATA_DAY, { dataset: 'tokens' })).toBe(day19);
    expect(page.by('dataset', 'agent_platform_history_uncovered')).toMatchObject({
      tokens: 1,
      tools: 1,
      activity: 1,
      productivity: 0,
    });
    expect(page.value('agent_platform_credits_month_to_date')).toBeUndefined();
    expect(page.value('agent_platform_credits_trailing_7d')).toBeUndefined();
  });

  test('by twelve days is requested until it arrives, is never zero, and makes no sum too small', async () => {
    const story = await startStory({ flags: ['no-collector.readiness', 'no-collector.wiki'] });
    story.platform.setFaults(['late=12@tokens']);
    for (let days = 0; days < 12; days++) {
      story.clock.advance(DAY);
      await story.poll();
      const page = await story.page();
      expect(page.value(DATA_DAY, { dataset: 'tokens' })).toBe(day19);
      expect(page.value(CREDITS)).toBeGreaterThan(0);
      expect(page.value('agent_platform_history_uncovered', { dataset: 'tokens' })).toBe(days + 1);
    }
    story.platform.setFaults([]);
    await story.poll();
    const page = await story.page();
    expect(page.value(DATA_DAY, { dataset: 'tokens' })).toBe(day19 + (12 * DAY) / 1000);
    const query = { startDate: '2026-11-04', endDate: '2026-12-01' };
    const rows = listOf(await story.ask('/api/v1/analytics/tokens', query, 'acme'), 'data');
    const credits = rows.map((row) => Number(row['billable_tokens']));
    expect(page.value(CREDITS)).toBe(credits.at(-1));
    expect(page.value('agent_platform_history_uncovered', { dataset: 'tokens' })).toBe(0);
    expect(page.value('agent_platform_credits_trailing_28d')).toBe(credits.reduce((a, b) => a + b, 0));
    expect(page.value('agent_platform_exporter_day_revisions_total', { dataset: 'tokens' })).toBe(0);
  });

  test('because the platform’s clock is behind costs one day and is not a failure', async () => {
    const story = await startStory({ sandbox: { faults: ['clock-behind=13'] } });
    const before = await story.page();
    expect(before.value(DATA_DAY, { dataset: 'tokens' })).toBe(day18);
    expect(before.value('agent_platform_exporter_collector_success', { collector: 'tokens' })).toBe(1);
    expect(before.value('agent_platform_history_uncovered', { dataset: 'tokens' })).toBe(1);
    story.clock.advance(2 * HOUR);
    expect(await story.poll()).toEqual([]);
    const page = await story.page();
    expect(page.value(DATA_DAY, { dataset: 'tokens' })).toBe(day19);
    expect(page.value('agent_platform_history_uncovered', { dataset: 'tokens' })).toBe(0);
  });
});

describe('a day that is revised', () => {
  test('has its new figures with the next run, and is counted once', async () => {
    const story = await startStory();
    const before = await story.page();
    story.platform.reviseDay(YESTERDAY);
    await story.poll();
    const page = await story.page();
    expect(page.value(CREDITS)).toBeGreaterThan(before.value(CREDITS) ?? Number.POSITIVE_INFINITY);
    expect(page.value(CREDITS)).toBe((await daysOf(story, 'tokens')).day['billable_tokens']);
    expect(page.by('dataset', 'agent_platform_exporter_day_revisions_total')).toMatchObject({
      tokens: 1,
      tools: 1,
    });
    await story.poll();
    const again = await story.page();
    expect(again.by('dataset', 'agent_platform_exporter_day_revisions_total')).toMatchObject({
      tokens: 1,
      tools: 1,
    });
    expect(story.logged('Known days revised', 'dataset=tokens')).toHaveLength(1);
  });

  test('has its new total also where an optional breakdown stopped coming, or came with an unusable element', async () => {
    let credits = 1_000;
    let breakdowns: object = {
      by_model: [{ model_id: 'a', model_tier: 's', billable_tokens: 600 }],
      by_user: [{ user_id: 'u', billable_tokens: 900 }],
    };
    const story = await startStory({
      collectors: ['tokens', 'spend'],
      rewrite: (body, { pathname, searchParams }) => {
        if (!pathname.endsWith('/tokens')) return body;
        if (searchParams.has('group_by')) return { ...body, data: [] };
        const data = listOf(body, 'data').map(({ date }) => ({
          date,
          billable_tokens: credits,
          ...breakdowns,
        }));
        return { ...body, data };
      },
    });
    const shown = async () => {
      const page = await story.page();
      return {
        credits: page.value(CREDITS),
        ofA: page.value('agent_platform_daily_credits_by_model', { model: 'a' }),
        rest: page.value('agent_platform_daily_credits_unattributed', { breakdown: 'user' }),
        revisions: page.value('agent_platform_exporter_day_revisions_total', { dataset: 'tokens' }),
      };
    };
    expect(await shown()).toEqual({ credits: 1_000, ofA: 600, rest: 100, revisions: 0 });
    breakdowns = {};
    await story.poll();
    expect(await shown()).toEqual({ credits: 1_000, ofA: 600, rest: 100, revisions: 0 });
    credits = 5_000;
    expect(await story.poll()).toEqual([]);
    expect(await shown()).toEqual({ credits: 5_000, ofA: undefined, rest: undefined, revisions: 1 });
    credits = 6_000;
    breakdowns = {
      by_model: [{ model_id: 'a', billable_tokens: 'x' }],
      by_user: [{ billable_tokens: 5_500 }],
    };
    await story.poll();
    expect(await shown()).toEqual({ credits: 6_000, ofA: undefined, rest: 500, revisions: 2 });
  });

  test('days ago is fetched again once a day, within the revision window', async () => {
    const story = await startStory();
    story.platform.reviseDay('2026-11-15');
    story.platform.reviseDay('2026-10-20');
    await story.poll();
    const revisions = 'agent_platform_exporter_day_revisions_total';
    expect((await story.page()).value(revisions, { dataset: 'tokens' })).toBe(0);
    story.clock.advance(DAY);
    await story.poll();
    expect((await story.page()).value(revisions, { dataset: 'tokens' })).toBe(1);
  });
});

describe('a run with complete history', () => {
  test('requests only the newest day', async () => {
    const story = await startStory();
    const before = story.platform.requests.length;
    await story.poll();
    const analytics = story.platform.requests.slice(before).filter(({ path }) => path.includes('analytics'));
    expect(analytics.map(({ query }) => query)).toEqual(
      Array.from({ length: 4 }, () => ({ startDate: YESTERDAY, endDate: YESTERDAY })),
    );
  });

  test('requested every day once before it, newest first', async () => {
    const story = await startStory();
    const windows = story.platform.requests
      .filter(({ path }) => path.endsWith('/tokens'))
      .map(({ query }) => [query['startDate'], query['endDate']]);
    expect(windows[0]).toEqual([YESTERDAY, YESTERDAY]);
    expect(windows.at(-1)?.[0]).toBe(HISTORY_START);
    const starts = windows.map(([start = '']) => start);
    expect(starts).toEqual(starts.toSorted().reverse());
    expect(story.platform.requests.every(({ status }) => status === 200)).toBe(true);
  });
});
