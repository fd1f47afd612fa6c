import { describe, expect, onTestFinished, test } from 'vitest';
import { NotStored } from '../../src/store/database.ts';
import { Leader, type LeaderStore } from '../../src/store/leader.ts';
import { isOlder, type LeaderRow, mayTakeOver, type Watch, watched } from '../../src/store/leader-row.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

const ROW: LeaderRow = { holder: 'a', generation: 3, beat: 7, epoch: 'e', settings: '' };
const AFTER_MS = 30_000;

describe('a watcher', () => {
  /** Looks at rows at instants; resolves with whether it may take over after the last one. */
  function looksAt(looks: readonly (readonly [at: number, row: LeaderRow])[]): boolean {
    let watch: Watch | undefined;
    let may = false;
    for (const [at, row] of looks) {
      watch = watched(watch, row, at);
      may = mayTakeOver(watch, 'b', at, AFTER_MS);
    }
    return may;
  }

  test.each([
    { what: 'three looks over 30 s', at: [0, 5_000, 30_000], may: true },
    { what: 'three looks over less', at: [0, 5_000, 29_999], may: false },
    { what: 'two looks, between which it was suspended', at: [0, 600_000], may: false },
  ])('of the same beat in $what may take over: $may', ({ at, may }) => {
    expect(looksAt(at.map((one) => [one, ROW]))).toBe(may);
  });

  test.each([
    { what: 'beat', next: { beat: 8 } },
    { what: 'generation', next: { generation: 4 } },
    { what: 'epoch', next: { epoch: 'f' } },
    { what: 'holder', next: { holder: 'c' } },
  ])('begins anew with another $what', ({ next }) => {
    const other = { ...ROW, ...next };
    expect(
      looksAt([
        [0, ROW],
        [15_000, ROW],
        [30_000, other],
      ]),
    ).toBe(false);
    expect(
      looksAt([
        [0, ROW],
        [15_000, other],
        [30_000, other],
        [45_000, other],
      ]),
    ).toBe(true);
  });

  test('takes what nobody holds, or what is its own of an earlier term, at once', () => {
    expect(looksAt([[0, { ...ROW, holder: undefined }]])).toBe(true);
    expect(looksAt([[0, { ...ROW, holder: 'b' }]])).toBe(true);
  });

  test('counts from the answer of the first look to the sending of the last', () => {
    const watch = watched(watched(watched(undefined, ROW, 8_000), ROW, 20_000), ROW, 38_000);
    expect(mayTakeOver(watch, 'b', 37_999, AFTER_MS)).toBe(false);
    expect(mayTakeOver(watch, 'b', 38_000, AFTER_MS)).toBe(true);
  });

  test('knows an older row by its generation, then by its beat', () => {
    expect(isOlder({ generation: 2, beat: 9 }, ROW)).toBe(true);
    expect(isOlder({ generation: 3, beat: 6 }, ROW)).toBe(true);
    expect(isOlder({ generation: 3, beat: 7 }, ROW)).toBe(false);
    expect(isOlder({ generation: 4, beat: 0 }, ROW)).toBe(false);
  });
});

/** A database with one row, and processes with clocks of their own. */
function createCluster() {
  let row: LeaderRow = { holder: undefined, generation: 0, beat: 0, epoch: 'first', settings: '' };
  let isAsked = false;
  const processes: { readonly advance: (ms: number) => Promise<void> }[] = [];

  function join(id: string, orgs: readonly string[] = []) {
    const clock = createFakeClock(0);
    const log = createFakeLogger();
    const told: string[] = [];
    let isAway = false;
    const writes: string[] = [];
    const store: LeaderStore = {
      async step(next) {
        if (isAway) throw new Error('away');
        const found = row;
        const after = next(found);
        if (after === undefined) return { row: found, isWritten: false, isAsked: false };
        row = after;
        const wasAsked = isAsked;
        isAsked = false;
        return { row: after, isWritten: true, isAsked: wasAsked };
      },
      async fenced(generation, work) {
        if (isAway) throw new Error('away');
        return work(
          async (text) => {
            writes.push(text);
            return [];
          },
          row.generation === generation ? row : undefined,
        );
      },
      async ask() {
        if (isAway) throw new Error('away');
        isAsked = true;
      },
    };
    const leadership = new Leader({ store, id, clock, log });
    onTestFinished(() => leadership.close());
    const isSuspended = { now: false };
    const advance = async (ms: number) => {
      if (isSuspended.now) return;
      for (let passed = 0; passed < ms; passed += 1_000) await clock.advance(1_000);
    };
    processes.push({ advance });
    const write = () => leadership.write((query) => query('written'));
    return {
      ...{ leadership, clock, log, told, writes, write, advance },
      start: () =>
        leadership.start({
          settings: () => `settings of ${id}`,
          orgs: () => orgs,
          onOtherSettings: () => told.push('other settings'),
          onLead: () => told.push('lead'),
          onResume: () => told.push('resume'),
          onBeat: () => undefined,
          onEnd: () => told.push('end'),
          onRefresh: () => told.push('refresh'),
        }),
      away: (is: boolean) => {
        isAway = is;
      },
      suspend: (is: boolean) => {
        isSuspended.now = is;
      },
      /** Its clock goes on while it is suspended. */
      wake: async (ms: number) => {
        isSuspended.now = false;
        clock.set(clock.now() + ms);
      },
    };
  }

  return {
    join,
    row: () => row,
    put: (next: LeaderRow) => {
      row = next;
    },
    /** Lets time pass for all that are not suspended. */
    async pass(seconds: number) {
      for (let second = 0; second < seconds; second += 1)
        await Promise.all(processes.map(({ advance }) => advance(1_000)));
    },
  };
}

describe('leadership', () => {
  test('is of one process, beats every five seconds, and is given back at its end', async () => {
    const { join, row, pass } = createCluster();
    const [one, two] = [join('one'), join('two')];
    await one.start();
    await two.start();
    expect([one.leadership.isLeader(), two.leadership.isLeader()]).toEqual([true, false]);
    const { beat } = row();
    await pass(50);
    expect(row().beat).toBe(beat + 10);
    await expect(two.write()).rejects.toThrow(NotStored);
    await one.write();
    await one.leadership.close();
    expect(one.told).toEqual(['lead', 'end']);
    await pass(6);
    expect(two.leadership.isLeader()).toBe(true);
    await expect(one.write()).rejects.toThrow(NotStored);
    expect(row()).toMatchObject({ holder: 'two', generation: 2, settings: 'settings of two' });
  });

  test('passes on 30 s after the last beat of a process that is gone, and not to two', async () => {
    const { join, row, pass } = createCluster();
    const [one, two, three] = [join('one'), join('two'), join('three')];
    for (const each of [one, two, three]) await each.start();
    await pass(5);
    one.suspend(true);
    await pass(25);
    expect([two, three].filter(({ leadership }) => leadership.isLeader())).toEqual([]);
    await pass(15);
    expect([two, three].filter(({ leadership }) => leadership.isLeader())).toHaveLength(1);
    expect(row().generation).toBe(2);
  });

  test('of a suspended process is over as soon as it wakes, before anything else happens', async () => {
    const { join, pass } = createCluster();
    const [one, two] = [join('one'), join('two')];
    await one.start();
    await two.start();
    await pass(1);
    const term = one.leadership.term();
    one.suspend(true);
    await pass(45);
    expect(two.leadership.isLeader()).toBe(true);
    await one.wake(45_000);
    expect(one.leadership.isLeader()).toBe(false);
    expect(() => one.leadership.demand()).toThrow(NotStored);
    await expect(one.write()).rejects.toThrow(NotStored);
    expect(one.writes).toEqual([]);
    await pass(6);
    expect(term?.aborted).toBe(true);
    expect(one.log.events.map(({ message }) => message)).toEqual([
      'This replica polls',
      'The database has not confirmed in time that this replica polls; polling waits',
      'Another replica polls',
    ]);
    expect([one.leadership.isLeader(), two.leadership.isLeader()]).toEqual([false, true]);
  });

  test('that cannot beat for 20 s sends nothing, and is taken again at once when it can', async () => {
    const { join, row, pass } = createCluster();
    const one = join('one');
    await one.start();
    await pass(1);
    one.away(true);
    await pass(5);
    // From the first failure on: answers could not be stored.
    expect(one.leadership.isLeader()).toBe(false);
    expect(one.told).toEqual(['lead']);
    await pass(20);
    expect(one.told).toEqual(['lead', 'end']);
    one.away(false);
    await pass(6);
    expect(one.told).toEqual(['lead', 'end', 'lead']);
    expect(row()).toMatchObject({ holder: 'one', generation: 2 });
  });

  test('writes another epoch after a lost connection, before anything else', async () => {
    const { join, row, pass } = createCluster();
    const one = join('one');
    await one.start();
    await pass(1);
    const { epoch, generation } = row();
    one.leadership.connectionLost();
    await expect(one.write()).rejects.toThrow(NotStored);
    await pass(2);
    expect(row().epoch).not.toBe(epoch);
    expect(row().generation).toBe(generation);
    expect(one.told).toEqual(['lead', 'resume']);
    await one.write();
    const settled = row().epoch;
    await pass(20);
    expect(row().epoch).toBe(settled);
  });

  test('is refused by a row of another epoch, and renewed', async () => {
    const { join, row, put, pass } = createCluster();
    const one = join('one');
    await one.start();
    // A standby without the commit that wrote the epoch.
    put({ ...row(), epoch: 'before' });
    await expect(one.write()).rejects.toThrow(NotStored);
    expect(one.writes).toEqual([]);
    await pass(2);
    expect(row().epoch).not.toBe('before');
    await one.write();
  });

  test('of a row that is older than one seen is an error, said once, and has everything asked again', async () => {
    const { join, row, put, pass } = createCluster();
    const [one, two] = [join('one'), join('two')];
    await one.start();
    await two.start();
    await pass(20);
    const { epoch } = row();
    put({ ...row(), beat: row().beat - 2 });
    await pass(6);
    const errors = ({ log }: typeof one) => log.events.filter(({ level }) => level === 'error');
    expect(errors(one)).toHaveLength(1);
    expect(errors(one)[0]?.message).toContain('has lost commits');
    // What shows it, since the generation is the same.
    expect(errors(one)[0]?.fields).toMatchObject({ beat: 3, seen: 5 });
    expect(row().epoch).not.toBe(epoch);
    await pass(30);
    expect(errors(one)).toHaveLength(1);
    expect(errors(two).length).toBeLessThan(2);
    expect(one.told).toContain('refresh');
  });

  test('of a generation that is older than the own one ends the term', async () => {
    const { join, row, put, pass } = createCluster();
    const [one, two] = [join('one'), join('two')];
    await one.start();
    const before = row();
    await two.start();
    one.suspend(true);
    await pass(40);
    expect(row().generation).toBe(2);
    put({ ...before });
    await pass(2);
    await expect(two.write()).rejects.toThrow(NotStored);
    await pass(4);
    expect(two.leadership.isLeader()).toBe(false);
    expect(two.told).toEqual(['other settings', 'lead', 'end']);
    await pass(40);
    expect(two.leadership.isLeader()).toBe(true);
  });

  test('hears of a request to refresh that another process got', async () => {
    const { join, pass } = createCluster();
    const [one, two] = [join('one'), join('two')];
    await one.start();
    await two.start();
    await two.leadership.askToRefresh();
    await pass(6);
    expect(one.told).toEqual(['lead', 'refresh']);
    two.away(true);
    await expect(two.leadership.askToRefresh()).rejects.toThrow('away');
    two.away(false);
    await pass(12);
    expect(one.told).toEqual(['lead', 'refresh', 'refresh']);
  });

  test('tells the others whether its settings are theirs', async () => {
    const { join, pass } = createCluster();
    const [one, two] = [join('one'), join('two')];
    await one.start();
    await two.start();
    expect([one.leadership.hasOtherSettings(), two.leadership.hasOtherSettings()]).toEqual([false, true]);
    expect(two.told).toEqual(['other settings']);
    await one.leadership.close();
    await pass(6);
    expect(two.leadership.hasOtherSettings()).toBe(false);
  });

  test('tells the others which organizations it polls', async () => {
    const { join, pass } = createCluster();
    const [one, two] = [join('one', ['a', 'b']), join('two', ['b', 'c'])];
    expect(two.leadership.notPolled(['b', 'c'])).toEqual([]);
    await one.start();
    await two.start();
    expect(one.leadership.notPolled(['a', 'b'])).toEqual([]);
    expect(two.leadership.notPolled(['b', 'c'])).toEqual(['c']);
    await one.leadership.close();
    await pass(6);
    expect(two.leadership.notPolled(['b', 'c'])).toEqual([]);
  });

  test('of an earlier release, which does not say what it polls, is believed to poll everything', async () => {
    const { join } = createCluster();
    const [one, two] = [join('one'), join('two', ['b', 'c'])];
    await one.start();
    await two.start();
    expect(two.leadership.isLeader()).toBe(false);
    expect(two.leadership.notPolled(['b', 'c'])).toEqual([]);
  });
});
