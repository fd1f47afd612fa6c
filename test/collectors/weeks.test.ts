import { describe, expect, test } from 'vitest';
import { addDays, type Day } from '../../src/catalog/day.ts';
import { activityFamilies as activity } from '../../src/collectors/activity/collector.ts';
import { activityDataset } from '../../src/collectors/activity/dataset.ts';
import { productivityFamilies as output } from '../../src/collectors/productivity/collector.ts';
import { modelWeeks } from '../../src/collectors/spend/comparisons.ts';
import { tokensDataset } from '../../src/collectors/tokens/dataset.ts';
import { createFakeView, DAY, linesOf } from './fakes.ts';

/** The rows of consecutive days that end with `DAY`; undefined makes a day unknown. */
function viewOf(rows: readonly unknown[]) {
  const days = rows.map((row, index): readonly [Day, unknown] => [
    addDays(DAY, index + 1 - rows.length),
    row,
  ]);
  return createFakeView({ rows: new Map(days.filter(([, row]) => row !== undefined)) });
}

const each = <Row>(count: number, row: Row) => Array<Row>(count).fill(row);

/** The lines of the 7 days and of the 7 before. */
function weeks(
  family: typeof output.commitWeeks | typeof output.fileWeeks | typeof modelWeeks,
  rows: readonly unknown[],
) {
  const view = viewOf(rows);
  return [linesOf(family.present, view), linesOf(family.before, view)];
}

describe('the sums of 7 days', () => {
  test('are those of the days that end with the newest one, and of the seven before', () => {
    const rows = [{ commits: 99 }, ...each(7, { commits: 2 }), ...each(7, { commits: 3 })];
    expect(weeks(output.commitWeeks, rows)).toEqual([[' 21'], [' 14']]);
  });

  test('are absent where one of the days is unknown', () => {
    const known = each(14, { commits: 1 });
    expect(weeks(output.commitWeeks, known.with(10, undefined as never))).toEqual([undefined, [' 7']]);
    expect(weeks(output.commitWeeks, known.slice(3))).toEqual([[' 7'], undefined]);
  });

  test('keep the values of a closed label apart, and lack one that a day lacks', () => {
    const rows = [...each(6, { filesCreated: 1, filesEdited: 2 }), { filesEdited: 2 }];
    expect(weeks(output.fileWeeks, rows)[0]).toEqual(['{action="edited"} 14']);
  });

  const model = (name: string, credits: number | null) => ({ model: name, tier: 's', credits });
  const day = (...models: readonly ReturnType<typeof model>[]) => ({ credits: 9, byModel: models });

  test('count a model as 0 on days without it, and list the models of both weeks', () => {
    const rows = [
      ...each(7, day(model('old', 1))),
      ...each(5, day(model('new', 2))),
      ...each(2, tokensDataset.idle),
    ];
    expect(weeks(modelWeeks, rows)).toEqual([
      ['{model="new",tier="s"} 10', '{model="old",tier="s"} 0'],
      ['{model="old",tier="s"} 7', '{model="new",tier="s"} 0'],
    ]);
  });

  test('count 0 for every model on a day that has a total of 0 and no breakdown, and are absent on another day without one', () => {
    const rows = [...each(5, day(model('a', 1))), ...each(2, { credits: 0 })];
    expect(weeks(modelWeeks, rows)[0]).toEqual(['{model="a",tier="s"} 5']);
    expect(weeks(modelWeeks, rows.with(6, { credits: 1 } as never))[0]).toBeUndefined();
    expect(weeks(modelWeeks, rows.with(6, {} as never))[0]).toBeUndefined();
  });

  test('are unknown for a model whose credits are unknown on a day, and for those that the day does not list', () => {
    const rows = [...each(6, day(model('a', 1), model('b', 1))), day(model('a', null))];
    expect(weeks(modelWeeks, rows)[0]).toEqual(['{model="a",tier="s"} NaN', '{model="b",tier="s"} NaN']);
  });
});

describe('the figures per person and per credit', () => {
  const row = { dailyUsers: 4, sessions: 12, userMessages: 24, commits: 2, pullRequests: 1, credits: 1e6 };

  test('divide the sums of the week, so that a quiet day weighs little', () => {
    const rows = [...each(6, row), { ...row, dailyUsers: 1, sessions: 0, commits: 13, credits: 0 }];
    expect(linesOf(activity.usagePerActiveUser7d, viewOf(rows))).toEqual([
      '{kind="sessions"} 2.88',
      '{kind="user_messages"} 6.72',
      '{kind="commits"} 1',
      '{kind="pull_requests"} 0.28',
    ]);
    expect(linesOf(output.outputPerMillionCredits7d, viewOf(rows))?.[0]).toBe(`{output="commits"} ${25 / 6}`);
  });

  test('are absent where nobody was active, and where a day is unknown', () => {
    expect(linesOf(activity.usagePerActiveUser7d, viewOf(each(7, activityDataset.idle)))).toBeUndefined();
    expect(linesOf(activity.usagePerActiveUser7d, viewOf(each(6, row)))).toBeUndefined();
  });
});
