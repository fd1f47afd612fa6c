import { describe, expect, test } from 'vitest';
import type { ExpensiveDataset } from '../../src/catalog/collector.ts';
import type { DatasetName, DayDataset } from '../../src/catalog/dataset.ts';
import { addDays, type Day, endOf, type Instant } from '../../src/catalog/day.ts';
import { Coverage } from '../../src/pipeline/coverage.ts';
import { dayNamed } from '../support/day.ts';
import { storedOrg } from '../support/store.ts';

interface Row {
  readonly main?: number;
  readonly detail?: number;
  readonly rejected?: Readonly<Record<string, number>>;
}

const start = dayNamed('2026-03-01');
const HOUR = 3_600_000;
const names = ['tokens', 'tools', 'users'] as const;
const datasets: readonly DayDataset<Row>[] = names.map((name) => ({
  ...{ kind: 'days', name, idle: { main: 0 } },
  total: ({ main }) => main,
}));

/**
 * A letter a day from the start of history: `a`ctivity, also in `d`etail alone; a row of `0`, also `r`ejected in part; a row `?`
 * without numbers; `-` no row; a space uncovered.
 */
type Days = Partial<Record<(typeof names)[number], string>>;

const rows: Readonly<Record<string, Row | undefined>> = {
  a: { main: 5 },
  d: { main: 0, detail: 670 },
  '0': { main: 0 },
  r: { main: 0, rejected: { detail: 1 } },
  '?': {},
};

interface Options {
  readonly revisedOn?: Partial<Record<DatasetName, Day>>;
  readonly expensive?: ReadonlyMap<DatasetName, ExpensiveDataset>;
  readonly firstDay?: Day;
  readonly historyStart?: Day;
}

function coverageOf(days: Days, at: Instant, { revisedOn, ...options }: Options = {}) {
  const covered = new Map(
    Object.entries(days).map(([name, letters]) => [
      name,
      new Map(
        [...letters].flatMap((letter, index) =>
          letter === ' ' ? [] : [[addDays(start, index), rows[letter]] as const],
        ),
      ),
    ]),
  );
  const history = storedOrg({
    days: (dataset) => covered.get(dataset),
    revisedOn: (dataset) => (revisedOn === undefined ? dayNamed('2026-12-31') : revisedOn[dataset]),
  });
  const collected = datasets.filter(({ name }) => name in days);
  const coverage = new Coverage({ history, datasets: collected, historyStart: start, ...options }, at);
  const length = Math.max(...Object.values(days).map((letters) => letters.length));
  return {
    isUnused: (dataset: DatasetName) => coverage.isUnused(dataset),
    unknownDays: (dataset: DatasetName, upTo: Day) => coverage.unknownDays(dataset, upTo),
    idleDays: (dataset: DatasetName) => coverage.idleDays(dataset),
    /** The states of a dataset's days, by their first letters. */
    states: (dataset: DatasetName) =>
      Array.from({ length }, (_, index) => {
        const state = coverage.stateOf(dataset, addDays(start, index));
        return state === 'unknown' ? '?' : state === 'unused' ? 'x' : state[0];
      }).join(''),
  };
}

/** This many hours after the end of the day at an index. */
function hoursAfter(index: number, hours: number): Instant {
  return endOf(addDays(start, index)) + hours * HOUR;
}

describe('a day without a row that its own dataset has passed', () => {
  test('is idle at once where every other dataset covers it without activity', () => {
    expect(coverageOf({ tokens: 'a-a', tools: 'a-a' }, hoursAfter(2, 1)).states('tokens')).toBe('rir');
    expect(coverageOf({ tokens: 'a-a', tools: 'a0a' }, hoursAfter(2, 1)).states('tokens')).toBe('rir');
  });

  test('is unknown for 72 hours where another dataset has any activity, does not cover it, or does not say', () => {
    for (const tools of ['aaa', 'ada', 'a a', 'a?a', 'ara']) {
      expect(coverageOf({ tokens: 'a-a', tools }, hoursAfter(1, 72) - 1).states('tokens')).toBe('r?r');
      expect(coverageOf({ tokens: 'a-a', tools }, hoursAfter(1, 72)).states('tokens')).toBe('rir');
    }
  });

  test('stays unknown until it was fetched again after those 72 hours', () => {
    const days = { tokens: 'a-a', tools: 'aaa' };
    const before = { revisedOn: { tokens: addDays(start, 4) } };
    expect(coverageOf(days, hoursAfter(9, 0), before).states('tokens')).toBe('r?r');
    const since = { revisedOn: { tokens: addDays(start, 5) } };
    expect(coverageOf(days, hoursAfter(9, 0), since).states('tokens')).toBe('rir');
  });
});

describe('a day without a row behind the newest one of its dataset', () => {
  test('is never idle where another dataset has activity, however long ago it was', () => {
    const twelve = '-'.repeat(12);
    const late = coverageOf({ tokens: `a${twelve}`, tools: `a${'a'.repeat(12)}` }, hoursAfter(12, 1));
    expect(late.states('tokens')).toBe(`r${'?'.repeat(12)}`);
    const inDetail = coverageOf({ tokens: `a${twelve}`, tools: `a${'d'.repeat(12)}` }, hoursAfter(12, 1));
    expect(inDetail.states('tokens')).toBe(`r${'?'.repeat(12)}`);
  });

  test('is provisionally idle 72 hours after its end where all cover it without activity', () => {
    const days = { tokens: 'a--', tools: 'a--' };
    expect(coverageOf(days, hoursAfter(1, 72) - 1).states('tokens')).toBe('r??');
    expect(coverageOf(days, hoursAfter(1, 72)).states('tokens')).toBe('rp?');
    expect(coverageOf(days, hoursAfter(2, 72)).states('tokens')).toBe('rpp');
  });

  test('stays provisional where only another dataset has a later row: its own may be the late one', () => {
    expect(coverageOf({ tokens: 'a---', tools: 'a--a' }, hoursAfter(2, 72)).states('tokens')).toBe('rpp?');
    expect(coverageOf({ tokens: 'a--a', tools: 'a--a' }, hoursAfter(2, 72)).states('tokens')).toBe('riir');
  });

  test('is unknown where an earlier day is: the dataset is late', () => {
    expect(coverageOf({ tokens: 'a---', tools: 'aa--' }, hoursAfter(9, 0)).states('tokens')).toBe('r???');
    expect(coverageOf({ tokens: 'a --', tools: 'a---' }, hoursAfter(9, 0)).states('tokens')).toBe('r???');
  });

  test('is unknown until another dataset was fetched again', () => {
    const revisedOn = { tokens: addDays(start, 5), tools: addDays(start, 4) };
    expect(coverageOf({ tokens: 'a-', tools: 'a-' }, hoursAfter(9, 0), { revisedOn }).states('tokens')).toBe(
      'r?',
    );
    expect(coverageOf({ tokens: 'a-', tools: 'a0' }, hoursAfter(9, 0), { revisedOn }).states('tokens')).toBe(
      'rp',
    );
  });

  test('is not affected by a request on a future day, when the clock was ahead', () => {
    const revisedOn = { tokens: dayNamed('2027-01-01'), tools: dayNamed('2027-01-01') };
    expect(coverageOf({ tokens: 'a-', tools: 'a-' }, hoursAfter(1, 71), { revisedOn }).states('tokens')).toBe(
      'r?',
    );
  });

  test('waits for no dataset whose days at that time are not fetched', () => {
    const expensive = new Map([['users' as const, { windowDays: 1, revisionDays: 3, catchUpDays: 31 }]]);
    const days = { tokens: 'a-----', tools: 'a-----', users: '   ---' };
    expect(coverageOf(days, hoursAfter(5, 72), { expensive }).states('tokens')).toBe('rppppp');
    expect(coverageOf({ ...days, users: '   - -' }, hoursAfter(5, 72), { expensive }).states('tokens')).toBe(
      'rppp??',
    );
  });

  test('counts from the first day that is kept if the newest row is older', () => {
    const kept = { firstDay: addDays(start, 3) };
    for (const letters of ['a  --', 'a----']) {
      const coverage = coverageOf({ tokens: letters, tools: letters }, hoursAfter(9, 0), kept);
      expect(coverage.states('tokens')).toBe('r??pp');
    }
  });
});

describe('a dataset', () => {
  test('without any row is unused where it was answered, and unknown where it was not', () => {
    const coverage = coverageOf({ tokens: 'aa', tools: '- ' }, hoursAfter(1, 1));
    expect(coverage.states('tools')).toBe('x?');
    expect(coverage.isUnused('tools')).toBe(true);
    expect(coverageOf({ tokens: 'aa', tools: '  ' }, hoursAfter(1, 1)).isUnused('tools')).toBe(false);
  });

  test('knows no day that is not over, nor a row of one', () => {
    const coverage = coverageOf({ tokens: 'a-a' }, hoursAfter(1, 2));
    expect(coverage.states('tokens')).toBe('r??');
  });

  test('has idle days between the start of history and the newest day that is over, final or not', () => {
    const days = { tokens: '-a-a---', tools: '-a-a---' };
    const idle = (at: Instant, options: Options = {}) =>
      [...coverageOf(days, at, options).idleDays('tokens')].sort();
    const [first, third, fifth, sixth] = [0, 2, 4, 5].map((index) => addDays(start, index));
    expect(idle(hoursAfter(5, 72))).toEqual([first, third, fifth, sixth]);
    expect(idle(hoursAfter(4, 72))).toEqual([first, third, fifth]);
    expect(idle(hoursAfter(4, 72), { historyStart: addDays(start, 1) })).toEqual([third, fifth]);
    expect(idle(hoursAfter(1, 72), { revisedOn: { tokens: addDays(start, 1) } })).toEqual([first, third]);
  });

  test('counts the unknown days up to a day among those that are fetched', () => {
    const expensive = new Map([['users' as const, { windowDays: 1, revisionDays: 3, catchUpDays: 3 }]]);
    const coverage = coverageOf({ users: 'aa a a ' }, hoursAfter(6, 1), { expensive });
    const unknown = [2, 3, 4, 5, 6].map((index) => coverage.unknownDays('users', addDays(start, index)));
    expect(unknown).toEqual([0, 0, 1, 1, 2]);
    const kept = coverageOf({ users: 'aa a a ' }, hoursAfter(6, 1), { firstDay: addDays(start, 2) });
    expect(kept.unknownDays('users', addDays(start, 6))).toBe(3);
    const both = coverageOf({ users: 'aa a a ' }, hoursAfter(6, 1), {
      ...{ expensive, firstDay: addDays(start, 5) },
    });
    expect(both.unknownDays('users', addDays(start, 6))).toBe(1);
  });
});
