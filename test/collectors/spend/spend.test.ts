import { describe, expect, test } from 'vitest';
import { firstOfMonth, lastOfMonth, restOfMonth } from '../../../src/catalog/day.ts';
import { dayNamed } from '../../support/day.ts';
import { daysSince, dollars, type KnownDay, spendOn, spendView, WITHOUT_CREDITS } from './view.ts';

const IN_EUROS = { from: dayNamed('2026-06-15'), currency: 'EUR', perMillionCredits: 2_000_000 };
/** One dollar per credit, which keeps the tests' arithmetic simple. */
const ONE_DOLLAR = dollars('2026-01-14', 1_000_000);

function each<Value>(count: number, value: Value): readonly Value[] {
  return Array<Value>(count).fill(value);
}

describe('a calendar month', () => {
  test.each([
    ['2026-12-31', '2026-12-01', '2026-12-31'],
    ['2027-01-01', '2027-01-01', '2027-01-31'],
    ['2027-02-10', '2027-02-01', '2027-02-28'],
    ['2028-02-10', '2028-02-01', '2028-02-29'],
    ['2100-02-28', '2100-02-01', '2100-02-28'],
  ])('of %s reaches from %s to %s', (day, first, last) => {
    expect([firstOfMonth(dayNamed(day)), lastOfMonth(dayNamed(day))]).toEqual([first, last]);
  });

  test('has no days left on its last one', () => {
    expect(restOfMonth(dayNamed('2028-02-29'))).toEqual([]);
    expect(restOfMonth(dayNamed('2028-02-28'))).toEqual(['2028-02-29']);
  });
});

describe('a sum of days', () => {
  test('starts over with the month, and with the year', () => {
    const view = spendView(daysSince('2026-12-25', each(9, 10)), { prices: [ONE_DOLLAR] });
    expect(spendOn(view, '2026-12-31')).not.toHaveProperty('credits_month_to_date');
    expect(spendOn(view, '2027-01-01')).toMatchObject({
      credits_month_to_date: 10,
      'cost_month_to_date{USD}': 10,
      credits_trailing_7d: 70,
    });
    expect(spendOn(view, '2027-01-02')['credits_month_to_date']).toBe(20);
  });

  test('counts the leap day', () => {
    const view = spendView(daysSince('2028-02-01', each(29, 10)), { prices: [ONE_DOLLAR] });
    expect(spendOn(view, '2028-02-28')).toMatchObject({
      credits_month_to_date: 280,
      credits_month_forecast: 290,
    });
    expect(spendOn(view, '2028-02-29')).toMatchObject({
      credits_month_to_date: 290,
      credits_month_forecast: 290,
      'cost_month_forecast{USD}': 290,
    });
  });

  test.each<[string, KnownDay | undefined]>([
    ['is not covered', undefined],
    ['has a row without credits', WITHOUT_CREDITS],
  ])('is absent, never short, where one of them %s', (_, hole) => {
    const days = daysSince('2026-06-01', [hole, ...each(27, 10)]);
    const figures = spendOn(spendView(days, { prices: [ONE_DOLLAR] }), '2026-06-28');
    expect(Object.keys(figures)).toEqual([
      'credits_trailing_7d',
      'daily_credits_expected',
      'daily_credits_expected_upper',
      'credits_trailing_7d_baseline',
      'credits_change_by_cause{use}',
      'credit_price{USD}',
      'daily_cost{USD}',
      'cost_sum_7d{USD}',
      'cost_sum_7d_baseline{USD}',
    ]);
  });

  test('counts a day without activity as 0', () => {
    const days = daysSince('2026-06-01', ['idle', ...each(27, 10)]);
    expect(spendOn(spendView(days, { prices: [ONE_DOLLAR] }), '2026-06-28')).toMatchObject({
      credits_month_to_date: 270,
      credits_trailing_28d: 270,
      'cost_month_to_date{USD}': 270,
    });
  });

  test('is absent in the month in which the history begins, and there in the next one', () => {
    const view = spendView(daysSince('2026-01-14', each(30, 10)));
    expect(spendOn(view, '2026-01-31')).not.toHaveProperty('credits_month_to_date');
    expect(spendOn(view, '2026-01-31')).not.toHaveProperty('credits_month_forecast');
    expect(spendOn(view, '2026-02-01')).toMatchObject({
      credits_month_to_date: 10,
      credits_month_forecast: 280,
    });
  });

  test('has no residue of binary fractions', () => {
    const view = spendView(daysSince('2026-06-01', each(10, 0.1)));
    expect(spendOn(view, '2026-06-10')['credits_month_to_date']).toBe(1);
  });
});

describe('one day of history', () => {
  test('gives what needs no other day', () => {
    const view = spendView({ '2026-06-01': 10 }, { prices: [ONE_DOLLAR] });
    expect(spendOn(view, '2026-06-01')).toEqual({
      credits_month_to_date: 10,
      'credit_price{USD}': 1,
      'daily_cost{USD}': 10,
      'cost_month_to_date{USD}': 10,
    });
  });
});

describe('the forecast', () => {
  test('is absent with fewer than seven known days, including the data day', () => {
    const view = spendView(daysSince('2026-06-01', each(7, 10)));
    expect(spendOn(view, '2026-06-06')).not.toHaveProperty('credits_month_forecast');
    expect(spendOn(view, '2026-06-07')['credits_month_forecast']).toBe(300);
  });

  test('is absent where a remaining weekday was never seen', () => {
    // Six days of June and one of May: no Sunday is known.
    const days = { '2026-05-30': 10, ...daysSince('2026-06-01', each(6, 10)) };
    expect(spendOn(spendView(days), '2026-06-06')).not.toHaveProperty('credits_month_forecast');
    const seen = { ...days, '2026-05-24': 30 };
    expect(spendOn(spendView(seen), '2026-06-06')['credits_month_forecast']).toBe(20 * 10 + 6 * 10 + 4 * 30);
  });

  test('takes the last four known days of a weekday, not a fifth', () => {
    const tuesdays = {
      '2026-05-26': 1_000,
      '2026-06-02': 8,
      '2026-06-09': 4,
      '2026-06-16': 'idle',
      '2026-06-23': 12,
    } as const;
    const days = { ...daysSince('2026-06-01', each(29, 0)), ...tuesdays };
    expect(spendOn(spendView(days), '2026-06-29')['credits_month_forecast']).toBe(24 + 6);
  });

  test('skips unknown days', () => {
    const days = {
      ...{ '2026-05-26': 8, '2026-06-23': 12, '2026-06-30': WITHOUT_CREDITS },
      ...daysSince('2026-07-01', each(6, 0)),
    };
    // Four Tuesdays remain; the other weekdays had no credits.
    expect(spendOn(spendView(days), '2026-07-06')['credits_month_forecast']).toBe(4 * 10);
  });

  test('looks no further back than 52 weeks', () => {
    const june = daysSince('2026-06-01', each(6, 10));
    const withSunday = (sunday: string) => spendOn(spendView({ ...june, [sunday]: 50 }), '2026-06-06');
    expect(withSunday('2025-06-08')).toHaveProperty('credits_month_forecast');
    expect(withSunday('2025-06-01')).not.toHaveProperty('credits_month_forecast');
  });
});

describe('a quiet day', () => {
  const FIRST = '2026-05-04';
  /** Eight weeks until Sunday, 28 June; Monday and Tuesday remain. */
  const eightWeeks = (week: (index: number) => readonly (KnownDay | undefined)[]) =>
    daysSince(FIRST, Array.from({ length: 8 }, (_, index) => week(index)).flat());
  /** Working days that deviate from their median by this share, up and down. */
  const deviating = (share: number) =>
    eightWeeks((index) => [
      ...each(5, 100 * (1 + (index % 2 === 0 ? share : -share))),
      ...each(2, 'idle' as const),
    ]);
  const HOLIDAY = '2026-06-22';
  /** What is expected of Monday, 29 June, with a holiday before it. */
  function mondayAfter(days: Readonly<Record<string, KnownDay>>, holiday: KnownDay | undefined): number {
    const { [HOLIDAY]: _, ...others } = days;
    const known = holiday === undefined ? others : { ...others, [HOLIDAY]: holiday };
    const figures = spendOn(spendView(known), '2026-06-28');
    const all = (figures['credits_month_forecast'] ?? Number.NaN) - (figures['credits_month_to_date'] ?? 0);
    // The last four Tuesdays are two above and two below 100.
    return all - 100;
  }

  test('does not count: the mean is that of the four days before it', () => {
    expect(mondayAfter(deviating(0.1), 'idle')).toBeCloseTo(100, 9);
    expect(mondayAfter(deviating(0.1), 30)).toBeCloseTo(100, 9);
  });

  test('is no day of a third of its weekday, whatever the deviation', () => {
    expect(mondayAfter(deviating(0.1), 40)).toBeCloseTo((110 + 90 + 110 + 40) / 4, 9);
    expect(mondayAfter(deviating(0), 40)).toBeCloseTo((100 + 100 + 100 + 40) / 4, 9);
  });

  test('is below the noise of the organization, too', () => {
    // Three deviations are 0.89 of the median, and then more than all of it.
    expect(mondayAfter(deviating(0.2), 30)).toBeCloseTo((120 + 80 + 120 + 30) / 4, 9);
    expect(mondayAfter(deviating(0.2), 1)).toBeCloseTo(100, 9);
    expect(mondayAfter(deviating(0.3), 'idle')).toBeCloseTo((130 + 70 + 130 + 0) / 4, 9);
  });

  test('needs three known days of a weekday to be known by', () => {
    const figures = spendOn(spendView(daysSince('2026-07-01', [...each(12, 100), 1])), '2026-07-13');
    // Two of the eighteen remaining days are Mondays.
    expect(figures['credits_month_forecast']).toBeCloseTo(1201 + 16 * 100 + 2 * 50.5, 9);
  });

  test('at Christmas leaves January as it was before', () => {
    const days = daysSince('2026-10-26', [
      ...Array.from({ length: 8 }, () => [...each(5, 100), 0, 0]).flat(),
      ...[100, 100, 100, 2, 0, 0, 0],
      ...[1, 3, 2, 1, 0, 0, 0],
      ...each(5, 100),
    ]);
    const figures = spendOn(spendView(days), '2027-01-08');
    // Fifteen of the remaining days are working days.
    expect(figures['credits_month_forecast']).toBe((figures['credits_month_to_date'] ?? 0) + 15 * 100);
  });

  test('is usual once there are more such days than others', () => {
    const weeksOf = (low: number) =>
      eightWeeks((index) => [...each(5, index < 8 - low ? 100 : 10), ...each(2, 'idle' as const)]);
    const rest = (low: number) => {
      const figures = spendOn(spendView(weeksOf(low)), '2026-06-28');
      return (figures['credits_month_forecast'] ?? 0) - (figures['credits_month_to_date'] ?? 0);
    };
    expect([1, 2, 3, 4].map(rest)).toEqual([200, 200, 200, 20]);
  });
});

describe('seven quiet days in a row', () => {
  /** Nine weeks until Sunday, 28 June: around 100 each working day by a share of it, and a last week without work. */
  const untilQuietWeek = (share: number, midweek = 0) => {
    const signs = [1, 1, -1, -1, 0, 0, 1, 1];
    const weeks = signs.map((sign) => [...each(5, 100 * (1 + sign * share)), 0, 0]);
    return daysSince('2026-04-27', [...weeks.flat(), 0, 0, midweek / 2, midweek / 2, 0, 0, 0]);
  };
  /** What is expected of a Monday and a Tuesday after that week, on whose Wednesday and Thursday a little is used. */
  function expectedAfter(share: number, midweek = 0): number {
    const figures = spendOn(spendView(untilQuietWeek(share, midweek)), '2026-06-28');
    return ((figures['credits_month_forecast'] ?? Number.NaN) - (figures['credits_month_to_date'] ?? 0)) / 2;
  }

  test('do not count where one of them is within the noise of days', () => {
    expect(expectedAfter(0.3)).toBeCloseTo((100 + 100 + 130 + 130) / 4, 9);
  });

  test('use less than a third of the medians of all weekdays', () => {
    // Those are 100 on five of them.
    expect(expectedAfter(0.3, 166)).toBeCloseTo((100 + 100 + 130 + 130) / 4, 9);
    expect(expectedAfter(0.3, 167)).toBeCloseTo((100 + 130 + 130 + 0) / 4, 9);
  });

  test('are below the noise of weeks: that of days, divided by the root of the working ones', () => {
    // Three deviations are 0.99456 of the 500 that are usual, and then more than all of it.
    expect(expectedAfter(0.5, 2)).toBeCloseTo((100 + 100 + 150 + 150) / 4, 9);
    expect(expectedAfter(0.5, 3)).toBeCloseTo((100 + 150 + 150 + 0) / 4, 9);
    expect(expectedAfter(0.51)).toBeCloseTo((100 + 151 + 151 + 0) / 4, 9);
  });

  test('count where one of them is unknown', () => {
    const { '2026-06-24': _, ...days } = untilQuietWeek(0.3);
    const figures = spendOn(spendView(days, { prices: [], periodStarts: 27 }), '2026-06-28');
    // Four weeks remain.
    const onWednesday = (100 + 100 + 130 + 130) / 4;
    expect(figures['credits_month_forecast']).toBeCloseTo(4 * (4 * 90 + onWednesday), 9);
  });

  test('are nothing unusual where most days have no credits', () => {
    const tuesdays = [90, 0, 110, 0, 100, 0, 100, 0].flatMap((amount) => [0, amount, ...each(5, 0)]);
    const figures = spendOn(spendView(daysSince('2026-05-04', tuesdays)), '2026-06-28');
    expect(figures['credits_month_forecast']).toBe((figures['credits_month_to_date'] ?? 0) + 50);
  });
});

const wednesdays = ['2026-06-17', '2026-06-10', '2026-06-03'];

describe('the expected credits of a day', () => {
  test.each([0, 1, 2])('is absent where %i of its weekdays are known', (known) => {
    const days = Object.fromEntries(wednesdays.slice(0, known).map((day) => [day, 10]));
    const view = spendView({ ...days, '2026-06-24': 10, '2026-04-22': 10 });
    expect(spendOn(view, '2026-06-24')).not.toHaveProperty('daily_credits_expected');
    expect(spendOn(view, '2026-06-24')).not.toHaveProperty('daily_credits_expected_upper');
  });

  test('needs three of the eight before, whatever the day itself took', () => {
    const days = Object.fromEntries(wednesdays.map((day) => [day, 10]));
    expect(spendOn(spendView({ ...days, '2026-06-24': 10_000 }), '2026-06-24')).toMatchObject({
      daily_credits_expected: 10,
      daily_credits_expected_upper: 17.5,
    });
  });

  test('is 0 where nothing ever happens on that weekday', () => {
    const days = Object.fromEntries(wednesdays.map((day) => [day, 'idle' as const]));
    expect(spendOn(spendView(days), '2026-06-24')).toEqual({
      daily_credits_expected: 0,
      daily_credits_expected_upper: 0,
    });
  });
});

describe('the upper bound of a day', () => {
  const weeks = (pattern: readonly KnownDay[]) =>
    daysSince('2026-04-20', Array.from({ length: 9 }, () => pattern).flat());

  test('of a weekend is that of a working day', () => {
    const view = spendView(weeks([10, 10, 10, 10, 10, 'idle', 1]));
    expect(spendOn(view, '2026-06-20')).toMatchObject({
      daily_credits_expected: 0,
      daily_credits_expected_upper: 17.5,
    });
    expect(spendOn(view, '2026-06-21')).toMatchObject({
      daily_credits_expected: 1,
      daily_credits_expected_upper: 17.5,
    });
  });

  test('comes from the days with credits where every weekday is mostly idle', () => {
    const view = spendView({ ...weeks(each(7, 0)), '2026-06-02': 8, '2026-06-11': 10, '2026-06-19': 12 });
    expect(spendOn(view, '2026-06-20')['daily_credits_expected_upper']).toBeCloseTo(
      10 * (1 + 4 * 1.4826 * 0.2),
      9,
    );
  });

  test('does not count weekdays of fewer than three known days', () => {
    const known = Object.fromEntries(wednesdays.map((day) => [day, 10]));
    const view = spendView({ ...known, '2026-06-18': 1000, '2026-06-11': 1000 });
    expect(spendOn(view, '2026-06-24')['daily_credits_expected_upper']).toBe(17.5);
  });
});

describe('a price', () => {
  const june = daysSince('2026-06-01', each(30, 10));

  test('applies from its day on, until the next one', () => {
    const view = spendView(june, { prices: [ONE_DOLLAR, dollars('2026-06-15', 2_000_000)] });
    expect(spendOn(view, '2026-06-14')).toMatchObject({ 'credit_price{USD}': 1, 'daily_cost{USD}': 10 });
    expect(spendOn(view, '2026-06-15')).toMatchObject({
      'credit_price{USD}': 2,
      'daily_cost{USD}': 20,
      'cost_month_to_date{USD}': 140 + 20,
      'cost_month_forecast{USD}': 140 + 16 * 20,
    });
  });

  test('that begins within a month leaves the cost of that month unknown', () => {
    const view = spendView({ ...june, '2026-07-01': 10 }, { prices: [dollars('2026-06-15', 1_000_000)] });
    expect(Object.keys(spendOn(view, '2026-06-14')).filter((name) => name.includes('USD'))).toEqual([]);
    expect(Object.keys(spendOn(view, '2026-06-15')).filter((name) => name.includes('USD'))).toEqual([
      'credit_price{USD}',
      'daily_cost{USD}',
    ]);
    expect(spendOn(view, '2026-07-01')['cost_month_to_date{USD}']).toBe(10);
  });

  test('in another currency leaves one currency at a time, and no sum over both', () => {
    const view = spendView({ ...june, '2026-07-01': 10 }, { prices: [ONE_DOLLAR, IN_EUROS] });
    const money = (day: string) =>
      Object.keys(spendOn(view, day)).filter((name) => /\{[A-Z]{3}\}$/.test(name));
    const weeks = ['cost_sum_7d{USD}', 'cost_sum_7d_baseline{USD}'];
    expect(money('2026-06-14')).toEqual([
      'credit_price{USD}',
      'daily_cost{USD}',
      ...weeks,
      'cost_month_to_date{USD}',
    ]);
    expect(money('2026-06-15')).toEqual(['credit_price{EUR}', 'daily_cost{EUR}', ...weeks.slice(1)]);
    expect(spendOn(view, '2026-07-01')).toMatchObject({
      'credit_price{EUR}': 2,
      'daily_cost{EUR}': 20,
      'cost_month_to_date{EUR}': 20,
      'cost_month_forecast{EUR}': 31 * 20,
    });
  });

  test('costs nothing on a day without activity, and is not needed for the credits', () => {
    const view = spendView({ '2026-06-01': 'idle' }, { prices: [ONE_DOLLAR] });
    expect(spendOn(view, '2026-06-01')['daily_cost{USD}']).toBe(0);
    expect(Object.keys(spendOn(spendView(june), '2026-06-30')).some((name) => name.endsWith('{USD}'))).toBe(
      false,
    );
  });
});

describe('the cost by model', () => {
  const prices = [ONE_DOLLAR];

  test('is absent where the day has no breakdown, or none of the models carries credits', () => {
    for (const row of [{ credits: 5 }, { credits: 5, byModel: [{ model: 'a', input: 3 }] }]) {
      const figures = spendOn(spendView({ '2026-06-01': row }, { prices }), '2026-06-01');
      expect(Object.keys(figures).filter((name) => name.startsWith('daily_cost_by_model'))).toEqual([]);
    }
  });

  test('has the tiers that the credits have', () => {
    const view = spendView(
      {
        '2026-05-31': { byModel: [{ model: 'a', tier: 'thinking', credits: 1 }] },
        '2026-06-01': {
          byModel: [
            { model: 'a', credits: 2 },
            { model: 'b', credits: 3 },
          ],
        },
      },
      { prices },
    );
    expect(spendOn(view, '2026-06-01')).toMatchObject({
      'daily_cost_by_model{a,thinking,USD}': 2,
      'daily_cost_by_model{b,unknown,USD}': 3,
    });
  });
});
