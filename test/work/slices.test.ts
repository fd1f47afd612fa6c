import { describe, expect, test } from 'vitest';
import { createSlices, LARGE, runInSlices } from '../../src/work/slices.ts';
import { createFakeClock } from '../support/fake-clock.ts';

describe('slices', () => {
  test('yield to the event loop whenever their budget is used up', async () => {
    const clock = createFakeClock(0);
    const slices = createSlices(clock, 3);
    let turn = 0;
    let running = true;
    const count = () => {
      turn += 1;
      if (running) setImmediate(count);
    };
    const turnOf: number[] = [];
    setImmediate(count);
    for (let step = 0; step < 6; step++) {
      await slices.next();
      turnOf.push(turn);
      clock.set(clock.now() + 2);
    }
    running = false;
    const perTurn = Object.values(Object.groupBy(turnOf, String)).map((steps) => steps?.length);
    expect(perTurn).toEqual([2, 2, 2]);
  });

  test.each([
    [5, ['a 1', 'b 2', 'c 3', 'a 4', 'b 5', 'c 6']],
    [2, ['a 1', 'b 1', 'c 2', 'a 2', 'b 3', 'c 3']],
  ])('are shared by several callers, in order, with steps of %i of 3 ms', async (ms, expected) => {
    const clock = createFakeClock(0);
    const slices = createSlices(clock, 3);
    clock.set(3);
    let turn = 0;
    const seen: string[] = [];
    async function work(name: string): Promise<void> {
      for (let step = 0; step < 2; step++) {
        await slices.next();
        seen.push(`${name} ${turn}`);
        clock.set(clock.now() + ms);
      }
    }
    const all = Promise.all(['a', 'b', 'c'].map(work));
    for (let next = 1; next <= 6; next++) {
      turn = next;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await all;
    expect(seen).toEqual(expected);
  });

  test('go to those without a place first, then by place', async () => {
    const slices = createSlices(createFakeClock(0), 0);
    const [early, late] = [slices.place(), slices.place()];
    const seen: string[] = [];
    async function work(name: string, place?: number): Promise<void> {
      for (let step = 1; step <= 2; step++) {
        await slices.next(place);
        seen.push(`${name} ${step}`);
      }
    }
    await Promise.all([work('late', late), work('early', early), work('a'), work('b')]);
    expect(seen).toEqual(['a 1', 'b 1', 'a 2', 'b 2', 'early 1', 'early 2', 'late 1', 'late 2']);
  });

  test('run a generator to its result, with other work in between', async () => {
    const clock = createFakeClock(0);
    let others = 0;
    setImmediate(() => others++);
    function* work() {
      for (let step = 0; step < 4; step++) {
        clock.set(clock.now() + 10);
        yield;
      }
      return others;
    }
    expect(await runInSlices(work(), clock, 1)).toBe(1);
  });

  test('look at the clock after a step that may have been large', async () => {
    const clock = createFakeClock(0);
    let others = 0;
    setImmediate(() => others++);
    function* work() {
      clock.set(clock.now() + 10);
      yield;
      const before = others;
      yield LARGE;
      return [before, others];
    }
    expect(await runInSlices(work(), clock)).toEqual([0, 1]);
  });
});
