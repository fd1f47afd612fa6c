import { describe, expect, test } from 'vitest';
import { addDays, startOf } from '../../../src/catalog/day.ts';
import { activityFamilies as activity } from '../../../src/collectors/activity/collector.ts';
import { dayNamed } from '../../support/day.ts';
import { definitionOf } from '../../support/definitions.ts';
import { createFakeView } from '../fakes.ts';

const DAY = dayNamed('2026-06-28');

/** The people of consecutive days that end with `DAY`; undefined makes a day unknown. */
function meansOf(people: readonly (number | undefined)[]) {
  const rows = new Map(
    people.flatMap((dailyUsers, index) =>
      dailyUsers === undefined ? [] : [[addDays(DAY, index + 1 - people.length), { dailyUsers }] as const],
    ),
  );
  const view = createFakeView({ rows, asOf: startOf(dayNamed('2030-01-01')) });
  const [mean, baseline] = [activity.dailyActiveUsersMean7d, activity.dailyActiveUsersMean7dBaseline].map(
    (family) => {
      const [sample] = family.samplesOf(view, DAY) ?? [];
      return sample?.value;
    },
  );
  return { mean, baseline };
}

const week = (mean: number | undefined) => Array<number | undefined>(7).fill(mean);

describe('the mean number of active people', () => {
  test('of a week is the worked example', () => {
    expect(meansOf([40, 40, 40, 40, 40, 5, 2]).mean).toBeCloseTo(29.571, 3);
    expect(definitionOf('daily_active_users_mean_7d')).toContain('29.571');
  });

  test('is absent where a day of the week is unknown', () => {
    expect(meansOf([40, 40, undefined, 40, 40, 5, 2]).mean).toBeUndefined();
    expect(meansOf([40, 40, 40]).mean).toBeUndefined();
  });

  test('has a baseline of whole weeks before, without the week itself', () => {
    const third = week(99).with(3, undefined);
    expect(meansOf([...week(32), ...third, ...week(28), ...week(30), ...week(7)])).toEqual({
      mean: 7,
      baseline: 30,
    });
    expect(definitionOf('daily_active_users_mean_7d_baseline')).toContain('= 30 people');
  });

  test('has no baseline under two whole weeks', () => {
    expect(meansOf([...week(30), ...week(7)]).baseline).toBeUndefined();
    expect(meansOf([...week(30), ...week(30), ...week(7)]).baseline).toBe(30);
  });
});
