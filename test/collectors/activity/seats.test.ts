import { describe, expect, test } from 'vitest';
import { hasActivity } from '../../../src/catalog/dataset.ts';
import { addDays, endOf } from '../../../src/catalog/day.ts';
import { type ActivityRow, activityDataset } from '../../../src/collectors/activity/dataset.ts';
import { spendFamilies } from '../../../src/collectors/spend/collector.ts';
import { mergeRow } from '../../../src/store/merge.ts';
import { under } from '../../support/money.ts';
import { createFakeView, DAY, linesOf } from '../fakes.ts';

/** The seats at the end of a day, where these days of activity are known. */
function seatsOn(back: number, configured?: number) {
  const rows = new Map<typeof DAY, ActivityRow>([
    [addDays(DAY, -20), { dailyUsers: 3, seats: 90 }],
    [addDays(DAY, -10), { dailyUsers: 3, seats: 100 }],
    [addDays(DAY, -1), { dailyUsers: 3 }],
  ]);
  const view = createFakeView({ rows, asOf: endOf(addDays(DAY, -back)) });
  return linesOf(spendFamilies.seats, under(view, { contract: { prices: [], seats: configured } }));
}

describe('the seats that a platform reports', () => {
  test.each([
    [21, undefined],
    [20, [' 90']],
    [13, [' 90']],
    [12, undefined],
    [10, [' 100']],
    [3, [' 100']],
    [2, undefined],
  ])('%i days back, are those of the seven days before or of the day', (back, lines) => {
    expect(seatsOn(back)).toEqual(lines);
  });

  test('give way to configured ones', () => {
    expect(seatsOn(10, 80)).toEqual([' 80']);
    expect(seatsOn(2, 80)).toEqual([' 80']);
  });

  test('stay with their day when it is answered again without them, and are no revision of it', () => {
    const { parts = {} } = activityDataset;
    expect(mergeRow({ dailyUsers: 3, seats: 90 }, { dailyUsers: 4 }, parts)).toMatchObject({
      row: { dailyUsers: 4, seats: 90 },
      missing: 0,
    });
    expect(mergeRow({ dailyUsers: 3, seats: 90 }, { dailyUsers: 3 }, parts).isRevised).toBe(false);
    expect(mergeRow({ seats: 90 }, { seats: 91 }, parts).row).toEqual({ seats: 91 });
  });

  test('are no activity of the day', () => {
    expect(hasActivity(activityDataset, { dailyUsers: 0, seats: 90 })).toBe(false);
  });

  test.each([
    [80, 80, undefined],
    [80, undefined, undefined],
    [undefined, 90, undefined],
    [80, 90, '80 seats are configured, the platform reports 90'],
  ])('with %s configured and %s reported, contradict: %s', (configured, seats, text) => {
    const settings = under(createFakeView({}), { contract: { prices: [], seats: configured } }).settings;
    expect(activityDataset.contradictionIn?.({ seats }, settings)).toBe(text);
  });
});
