import { describe, expect, test } from 'vitest';
import type { DatasetName, DayDataset } from '../../src/catalog/dataset.ts';
import { addDays, type Day, startOf } from '../../src/catalog/day.ts';
import { createView } from '../../src/pipeline/view.ts';
import { dayNamed } from '../support/day.ts';
import { storedOrg } from '../support/store.ts';

const start = dayNamed('2026-03-01');
const tokens: DayDataset<{ credits: number }> = {
  kind: 'days',
  name: 'tokens',
  idle: { credits: 0 },
  total: ({ credits }) => credits,
};
const tools: DayDataset<{ calls: number }> = {
  kind: 'days',
  name: 'tools',
  idle: { calls: 0 },
  total: ({ calls }) => calls,
};
const day = (n: number): Day => addDays(start, n - 1);

function historyOf(days: Partial<Record<DatasetName, readonly (readonly [Day, unknown])[]>>) {
  return storedOrg({
    days: (dataset) => new Map(days[dataset] ?? []),
    revisedOn: () => dayNamed('2026-12-31'),
  });
}

function viewAt(asOf: number, days: Parameters<typeof historyOf>[0]) {
  const settings = {
    name: 'acme',
    readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: true },
  } as const;
  const parts = {
    history: historyOf(days),
    settings,
    datasets: [tokens, tools],
    historyStart: start,
  };
  return createView(parts, asOf);
}

describe('the newest complete day', () => {
  test('is yesterday where its row is there', () => {
    const view = viewAt(startOf(day(6)) + 1, { tokens: [[day(5), { credits: 7 }]] });
    expect(view.newestDay(tokens)).toBe(day(5));
    expect(view.row(tokens, day(5))).toEqual({ credits: 7 });
  });

  test('stays the day before while yesterday has no row yet in any dataset', () => {
    const view = viewAt(startOf(day(6)) + 1, {
      tokens: [
        [day(4), { credits: 7 }],
        [day(5), undefined],
      ],
    });
    expect(view.newestDay(tokens)).toBe(day(4));
    expect(view.row(tokens, day(5))).toBeUndefined();
  });

  test('is the day before while a dataset is later than another one', () => {
    const view = viewAt(startOf(day(7)), {
      tokens: [
        [day(4), { credits: 7 }],
        [day(5), undefined],
        [day(6), undefined],
      ],
      tools: [
        [day(4), { calls: 1 }],
        [day(5), { calls: 1 }],
        [day(6), { calls: 1 }],
      ],
    });
    expect(view.newestDay(tokens)).toBe(day(4));
    expect(view.row(tokens, day(5))).toBeUndefined();
    expect(view.newestDay(tools)).toBe(day(6));
  });

  test('is an idle day, with zeros', () => {
    const view = viewAt(startOf(day(10)), {
      tokens: [
        [day(4), { credits: 7 }],
        [day(5), undefined],
      ],
      tools: [[day(5), undefined]],
    });
    expect(view.newestDay(tokens)).toBe(day(5));
    expect(view.row(tokens, day(5))).toEqual({ credits: 0 });
  });

  test('is never a day that was not asked, nor one that was not over', () => {
    const view = viewAt(startOf(day(5)) + 1, {
      tokens: [
        [day(2), { credits: 1 }],
        [day(5), { credits: 9 }],
      ],
    });
    expect(view.newestDay(tokens)).toBe(day(2));
    expect(view.row(tokens, day(3))).toBeUndefined();
    expect(view.row(tokens, day(5))).toBeUndefined();
  });
});

describe('coverage', () => {
  test('counts the days since the start of history that are not known', () => {
    const view = viewAt(startOf(day(11)), {
      tokens: [
        [day(10), undefined],
        [day(9), { credits: 1 }],
      ],
    });
    expect(view.uncoveredDays('tokens')).toBe(9);
    expect(view.uncoveredDays('tools')).toBe(10);
  });

  test('is empty before the start of history', () => {
    expect(viewAt(startOf(addDays(start, -20)), {}).uncoveredDays('tokens')).toBe(0);
  });
});

test('rows before a day come newest first, those after it oldest first, and both leave out idle days', () => {
  const view = viewAt(startOf(day(9)), {
    tokens: [
      [addDays(start, -1), { credits: 9 }],
      [day(1), { credits: 1 }],
      [day(2), { credits: 2 }],
      [day(3), undefined],
      [day(4), { credits: 4 }],
      [day(5), { credits: 5 }],
    ],
  });
  expect([...view.rowsBefore(tokens, day(5))].map((row) => row.credits)).toEqual([4, 2, 1]);
  expect([...view.rowsAfter(tokens, day(2))].map((row) => row.credits)).toEqual([4, 5]);
});

test('the common input of several families is computed once per view', () => {
  const view = viewAt(startOf(day(6)), {});
  let times = 0;
  const make = ({ asOf }: { readonly asOf: number }) => {
    times += 1;
    return { asOf };
  };
  expect(view.once(make)).toBe(view.once(make));
  expect(times).toBe(1);
  expect(viewAt(startOf(day(7)), {}).once(make)).toEqual({ asOf: startOf(day(7)) });
});
