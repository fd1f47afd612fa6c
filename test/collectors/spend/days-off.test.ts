import { describe, expect, test } from 'vitest';
import type { View } from '../../../src/catalog/view.ts';
import { activityFamilies as activity } from '../../../src/collectors/activity/collector.ts';
import { dayNamed } from '../../support/day.ts';
import { daysSince, type KnownDay, spendOn, spendView } from './view.ts';

/** Working days of 10 and weekends of 1, from a Monday on. */
function weeks(count: number): readonly KnownDay[] {
  return Array.from({ length: 7 * count }, (_, index) => (index % 7 < 5 ? 10 : 1));
}

function withDaysOff(view: View, ...days: readonly string[]): View {
  return { ...view, settings: { ...view.settings, daysOff: new Set(days.map(dayNamed)) } };
}

/** Eight weeks that end with Sunday, 20 December 2026. */
const known = daysSince('2026-10-26', weeks(8));

describe('a day off', () => {
  test('ahead is expected to use what Sundays use', () => {
    const view = spendView(known);
    const plain = spendOn(view, '2026-12-20')['credits_month_forecast'] ?? 0;
    const withChristmas = withDaysOff(view, '2026-12-24', '2026-12-25', '2026-12-26', '2026-12-31');
    // Three working days of 10 become 1 each; the Saturday has 1 in any case.
    expect(spendOn(withChristmas, '2026-12-20')['credits_month_forecast']).toBe(plain - 27);
  });

  test('behind is no day of its weekday, and one of the Sundays', () => {
    const days = { ...known, '2026-12-17': 5 };
    const expected = (view: View) => spendOn(view, '2026-12-20')['credits_month_forecast'] ?? 0;
    const [asThursday, asSunday] = [
      expected(spendView(days)),
      expected(withDaysOff(spendView(days), '2026-12-17')),
    ];
    // Two Thursdays remain, each of them expected to use (10 + 10 + 10 + 5) / 4; and one Sunday, (1 + 1 + 1 + 5) / 4.
    expect(asSunday - asThursday).toBe(2 * 1.25 + 1);
  });

  test('is unusual where a Sunday would be expected', () => {
    const view = withDaysOff(spendView({ ...known, '2026-12-21': 30, '2026-12-22': 10 }), '2026-12-22');
    expect(spendOn(view, '2026-12-22')['daily_credits_expected']).toBe(1);
    expect(spendOn(view, '2026-12-21')['daily_credits_expected']).toBe(10);
  });

  test('is said of the newest day, if there is a calendar', () => {
    const view = withDaysOff(spendView(known), '2026-12-18');
    const saidOf = (of: View, day: string) => [...(activity.dayOff.samplesOf(of, dayNamed(day)) ?? [])];
    expect(saidOf(view, '2026-12-18')).toMatchObject([{ value: 1 }]);
    // A Sunday is no day off of its own.
    expect(saidOf(view, '2026-12-20')).toMatchObject([{ value: 0 }]);
    expect(saidOf(spendView(known), '2026-12-18')).toEqual([]);
  });
});
