import { describe, expect, test } from 'vitest';
import { addDays, type Day } from '../../src/catalog/day.ts';
import type { Json } from '../sandbox/asking.ts';
import { at, dollars, exactCents, type Kind, spanOf, startClaudeStory, total } from './claude-story.ts';
import { DAY, HOUR, NOON, YESTERDAY } from './harness.ts';

const collectors = ['tokens', 'spend'];
const USD = { currency: 'USD' };
const DAY_OF = 'agent_platform_data_day_timestamp_seconds';

describe.each<Kind>(['console', 'enterprise'])('the money of an organization of the kind %s', (kind) => {
  test('is the exact sum of its decimals, by model and by day, at list price and less the discount', async () => {
    const story = await startClaudeStory({ kind, collectors });
    const page = await story.page();
    const value = (name: string, labels = {}) => page.value(`agent_platform_${name}`, labels);
    const rows = await story.rows('analytics/cost', spanOf('model', YESTERDAY));
    expect(value('daily_cost', USD)).toBe(dollars(exactCents(rows, 'cost.amount')));
    expect(value('daily_list_cost', USD)).toBe(dollars(exactCents(rows, 'cost.list_amount')));
    const named = Map.groupBy(
      rows.filter((row) => at(row, 'group.model') !== null),
      (row) => String(at(row, 'group.model')),
    );
    expect(named.size).toBeGreaterThan(1);
    for (const [model, ofModel] of named) {
      expect(value('daily_cost_by_model', { model })).toBe(dollars(exactCents(ofModel, 'cost.amount')));
      expect(value('daily_list_cost_by_model', { model })).toBe(
        dollars(exactCents(ofModel, 'cost.list_amount')),
      );
    }
    const month = await story.rows('analytics/cost', spanOf('model', '2026-11-01', YESTERDAY));
    expect(value('cost_month_to_date', USD)).toBe(dollars(exactCents(month, 'cost.amount')));
    expect(page.text).not.toMatch(/^agent_platform_(daily_credits|daily_billed_cost|credits_)/m);
    expect(story.logged('level=warn')).toEqual([]);
  });

  test('goes with tokens, of which cached ones count as input, too', async () => {
    const story = await startClaudeStory({ kind, collectors });
    const page = await story.page();
    const rows = await story.rows('analytics/usage', spanOf('model', YESTERDAY));
    const sum = (...paths: string[]) => paths.reduce((all, path) => all + total(rows, `usage.${path}`), 0);
    const written = ['5m', '1h'].map((age) => `cache_creation.ephemeral_${age}_input_tokens`);
    const expected = {
      input: sum('uncached_input_tokens', 'cache_read_input_tokens', ...written),
      output: sum('output_tokens'),
      cache_read: sum('cache_read_input_tokens'),
      cache_write: sum(...written),
    };
    expect(page.by('kind', 'agent_platform_daily_tokens')).toEqual(expected);
    expect(page.value('agent_platform_daily_cache_read_ratio')).toBeCloseTo(
      expected.cache_read / expected.input,
      12,
    );
    for (const [model, ofModel] of Map.groupBy(rows, (row) => String(at(row, 'group.model')))) {
      if (model === 'null') continue;
      expect(page.value('agent_platform_daily_tokens_by_model', { model, kind: 'output' })).toBe(
        total(ofModel, 'usage.output_tokens'),
      );
    }
  });
});

describe('an amount', () => {
  test('of no model is part of the day alone', async () => {
    const story = await startClaudeStory({
      collectors,
      change: (answer, { pathname }) => {
        if (!pathname.endsWith('/cost')) return;
        const [row] = answer.body['data'] as Json[];
        if (row === undefined) return;
        const cost = { amount: '1000.000001', list_amount: '2000', currency: 'USD', requests: 3 };
        answer.body['data'] = [
          ...(answer.body['data'] as Json[]),
          {
            ...row,
            starting_at: `${YESTERDAY}T00:00:00Z`,
            group: { ...(row['group'] as Json), model: null },
            cost,
          },
        ];
      },
    });
    const page = await story.page();
    const rows = await story.rows('analytics/cost', spanOf('model', YESTERDAY));
    const ofModels = rows.filter((row) => at(row, 'group.model') !== null);
    const sent = exactCents(rows, 'cost.amount') + 1_000_000_001n;
    expect(page.value('agent_platform_daily_cost', USD)).toBe(dollars(sent));
    const byModel = Object.values(page.by('model', 'agent_platform_daily_cost_by_model'));
    expect(byModel.reduce((sum, one) => sum + one, 0)).toBeCloseTo(
      dollars(exactCents(ofModels, 'cost.amount')),
      9,
    );
  });

  test.each([
    ['another currency', { currency: 'EUR' }],
    ['no currency', { currency: null }],
    ['no number', { amount: 'much' }],
    ['a negative number', { amount: '-5.000000' }],
  ])('with %s makes the cost of its day unknown, and no other one', async (_, wrong) => {
    const before = addDays(YESTERDAY as Day, -1);
    const story = await startClaudeStory({
      collectors,
      change: (answer, { pathname }) => {
        if (!pathname.endsWith('/cost')) return;
        const last = (answer.body['data'] as Json[]).findLast(
          (row) => row['starting_at'] === `${YESTERDAY}T00:00:00Z`,
        );
        if (last !== undefined) Object.assign(last['cost'] as Json, wrong);
      },
    });
    const page = await story.page();
    expect(page.find('agent_platform_daily_cost')).toEqual([]);
    expect(page.find('agent_platform_cost_month_to_date')).toEqual([]);
    expect(page.value('agent_platform_daily_tokens', { kind: 'output' })).toBeGreaterThan(0);
    const explained = await story.rows('analytics/cost', spanOf('model', before));
    expect(explained.length).toBeGreaterThan(0);
    expect(story.logged('level=warn', 'tokens').length).toBeGreaterThan(0);
  });

  test('that Claude Code estimates is no money', async () => {
    const story = await startClaudeStory({
      collectors: [...collectors, 'activity', 'productivity', 'users'],
      change: (answer, { pathname }) => {
        if (/\/(usage|cost)$/.test(pathname)) answer.body['data'] = [];
      },
    });
    const page = await story.page();
    expect(page.value('agent_platform_daily_sessions')).toBeGreaterThan(0);
    for (const name of ['daily_cost', 'daily_list_cost', 'cost_month_to_date'])
      expect(page.value(`agent_platform_${name}`, USD) ?? 0).toBe(0);
    expect(page.find('agent_platform_daily_cost_by_model')).toEqual([]);
  });
});

describe('a day', () => {
  test('is asked for four hours after its end, and is there once it was exported whole', async () => {
    const story = await startClaudeStory({ collectors, begins: Date.UTC(2026, 10, 20, 3, 30) });
    const newest = async () =>
      new Date(1000 * Number((await story.page()).value(DAY_OF, { dataset: 'tokens' }))).toISOString();
    expect(await newest()).toContain('2026-11-18');
    story.clock.advance(HOUR);
    expect(await story.poll()).toEqual([]);
    expect(await newest()).toContain('2026-11-19');
  });

  test('after the time of the export is neither a failure, nor zero, nor known, however late it comes', async () => {
    const story = await startClaudeStory({
      collectors,
      begins: NOON - 7 * DAY,
      flags: ['history.start=2026-10-01'],
    });
    story.sandbox.setFaults(['late=6']);
    const value = async (name: string, labels = {}) => (await story.page()).value(name, labels);
    for (let day = 0; day < 6; day++) {
      story.clock.advance(DAY);
      expect(await story.poll()).toEqual([]);
      expect(await value(DAY_OF, { dataset: 'tokens' })).toBe(Date.parse('2026-11-12') / 1000);
      expect(await value('agent_platform_daily_cost', USD)).toBeGreaterThan(0);
    }
    const month = await story.rows('analytics/cost', spanOf('model', '2026-11-01', '2026-11-12'));
    expect(month.length).toBeGreaterThan(0);
    expect(await value('agent_platform_cost_month_to_date', USD)).toBe(
      dollars(exactCents(month, 'cost.amount')),
    );
    story.sandbox.setFaults([]);
    await story.poll();
    story.clock.advance(DAY);
    await story.poll();
    const whole = await story.rows('analytics/cost', spanOf('model', '2026-11-01', YESTERDAY));
    expect(await value('agent_platform_cost_month_to_date', USD)).toBe(
      dollars(exactCents(whole, 'cost.amount')),
    );
    expect(story.logged('level=error')).toEqual([]);
  });

  test('that is revised until it is 30 days old is corrected, by requests for at most 31 days', async () => {
    const story = await startClaudeStory({
      collectors,
      begins: Date.UTC(2026, 10, 2, 12),
      flags: ['history.start=2026-10-01'],
    });
    const october = () => story.rows('analytics/cost', spanOf('model', '2026-10-01', '2026-10-31'));
    const early = exactCents(await october(), 'cost.amount');
    for (let day = 0; day < 29; day++) {
      story.clock.advance(DAY);
      const before = story.asked.length;
      expect(await story.poll()).toEqual([]);
      const costs = story.asked.slice(before).filter(({ pathname }) => pathname.endsWith('/cost'));
      expect(costs.length).toBeLessThanOrEqual(2);
      for (const { searchParams } of costs) {
        const [from, to] = ['starting_at', 'ending_at'].map((name) =>
          Date.parse(searchParams.get(name) ?? ''),
        );
        expect((Number(to) - Number(from)) / DAY).toBeLessThanOrEqual(31);
      }
    }
    const final = exactCents(await october(), 'cost.amount');
    expect(final).not.toBe(early);
    // The last day of October is final 30 days later.
    expect(story.clock.now()).toBeGreaterThan(Date.UTC(2026, 11, 1));
    expect((await story.page()).value('agent_platform_cost_month_to_date', USD)).toBeDefined();
    const revised = story.logged('Known days revised', 'dataset=tokens').join('\n');
    expect(revised).toContain('2026-10-');
  });
});
