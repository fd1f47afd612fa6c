import { expect, test } from 'vitest';
import { parseDay } from '../../src/catalog/day.ts';
import type { Contract } from '../../src/catalog/settings.ts';
import { DAY, startStory } from './harness.ts';
import { listOf } from './recount.ts';

const NEWEST = Date.UTC(2026, 10, 19);
const APRIL_PRICE = 2.7;
const NOVEMBER_PRICE = 3;

function dayText(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

function contract(): Contract {
  const [april, november] = [parseDay('2026-04-01'), parseDay('2026-11-10')];
  if (april === undefined || november === undefined) throw new Error('these are days');
  return {
    seats: 12,
    creditsPerMonth: 90_000_000,
    prices: [
      { from: april, currency: 'USD', perMillionCredits: APRIL_PRICE },
      { from: november, currency: 'USD', perMillionCredits: NOVEMBER_PRICE },
    ],
  };
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((all, one) => all + one, 0);
}

function median(amounts: readonly number[]): number {
  const sorted = amounts.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return (Number(sorted[Math.ceil(middle) - 1]) + Number(sorted[Math.floor(middle)])) / 2;
}

test('what the credits amount to follows from the API’s own days', async () => {
  const story = await startStory({
    collectors: ['tokens', 'spend'],
    flags: ['history.start=2026-09-20'],
    contract: contract(),
  });
  const answer = await story.ask('/api/v1/analytics/tokens', {
    startDate: '2026-09-20',
    endDate: '2026-11-19',
  });
  const byDay = new Map(
    listOf(answer, 'data').map((row) => [String(row['date']), Number(row['billable_tokens'])]),
  );
  // A day that the API omits is one without activity.
  const creditsOf = (instant: number) => byDay.get(dayText(instant)) ?? 0;
  const last = (days: number) => Array.from({ length: days }, (_, back) => creditsOf(NEWEST - back * DAY));
  const page = await story.page();
  const value = (name: string) => Number(page.value(`agent_platform_${name}`));

  expect(value('credits_month_to_date')).toBe(sum(last(19)));
  expect(value('credits_trailing_7d')).toBe(sum(last(7)));
  expect(value('credits_trailing_28d')).toBe(sum(last(28)));
  const sameWeekday = Array.from({ length: 8 }, (_, week) => creditsOf(NEWEST - (week + 1) * 7 * DAY));
  const usual = median(sameWeekday);
  expect(value('daily_credits_expected')).toBe(usual);
  const weekdays = [1, 2, 3, 4, 5, 6, 7].map((back) =>
    Array.from({ length: 8 }, (_, week) => creditsOf(NEWEST - (back + 7 * week) * DAY)),
  );
  const most = Math.max(...weekdays.map(median));
  const working = weekdays.filter((weekday) => median(weekday) >= most / 2);
  expect(working.length).toBeGreaterThan(3);
  const apart = working.flatMap((weekday) =>
    weekday.map((credits) => Math.abs(credits / median(weekday) - 1)),
  );
  expect(value('daily_credits_expected_upper')).toBeCloseTo(
    Math.max(usual, median(working.flat())) * Math.max(2, 1 + 4 * 1.4826 * median(apart)),
    3,
  );

  const ahead = Array.from({ length: 11 }, (_, index) => {
    const weeksBack = Math.floor(index / 7) + 1;
    const latest = NEWEST + (index + 1 - 7 * weeksBack) * DAY;
    return sum([0, 1, 2, 3].map((week) => creditsOf(latest - 7 * week * DAY))) / 4;
  });
  expect(value('credits_month_forecast')).toBeCloseTo(sum(last(19)) + sum(ahead), 3);

  const million = 1_000_000;
  expect(value('credit_price')).toBeCloseTo(NOVEMBER_PRICE / million, 15);
  expect(value('daily_cost')).toBeCloseTo((creditsOf(NEWEST) * NOVEMBER_PRICE) / million, 9);
  const costs = [
    ...last(10).map((one) => one * NOVEMBER_PRICE),
    ...last(19)
      .slice(10)
      .map((one) => one * APRIL_PRICE),
  ];
  expect(value('cost_month_to_date')).toBeCloseTo(sum(costs) / million, 9);
  expect(value('cost_month_forecast')).toBeCloseTo((sum(costs) + sum(ahead) * NOVEMBER_PRICE) / million, 9);
  expect(value('credits_month_budget')).toBe(90 * million);
  expect(value('seats')).toBe(12);
  for (const { labels, value: cost } of page.find('agent_platform_daily_cost_by_model')) {
    const model = { model: labels.get('model') ?? '', tier: labels.get('tier') ?? '' };
    const credits = Number(page.value('agent_platform_daily_credits_by_model', model));
    expect(Number(cost)).toBeCloseTo((credits * NOVEMBER_PRICE) / million, 9);
  }
});

test('a month that is not covered from its first day on has no sum', async () => {
  const story = await startStory({ collectors: ['tokens', 'spend'], flags: ['history.start=2026-11-02'] });
  const page = await story.page();
  expect(page.value('agent_platform_daily_credits')).toBeGreaterThanOrEqual(0);
  expect(page.find('agent_platform_credits_month_to_date')).toEqual([]);
  expect(page.find('agent_platform_credits_month_forecast')).toEqual([]);
  expect(page.value('agent_platform_credits_trailing_7d')).toBeGreaterThan(0);
  expect(page.find('agent_platform_credits_trailing_28d')).toEqual([]);
});
