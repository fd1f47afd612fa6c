import { expect, test } from 'vitest';
import { oneAtATime } from '../../src/work/reload.ts';

test('calls run one after the other, and waiting ones share the next run', async () => {
  const ends: (() => void)[] = [];
  let [running, most, started] = [0, 0, 0];
  const call = oneAtATime(async () => {
    started += 1;
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => ends.push(resolve));
    running -= 1;
    return started;
  });
  const first = call();
  await new Promise((resolve) => setImmediate(resolve));
  const meanwhile = [call(), call(), call()];
  ends[0]?.();
  expect(await first).toBe(1);
  await new Promise((resolve) => setImmediate(resolve));
  ends[1]?.();
  expect(await Promise.all(meanwhile)).toEqual([2, 2, 2]);
  const last = call();
  await new Promise((resolve) => setImmediate(resolve));
  ends[2]?.();
  expect(await last).toBe(3);
  expect([most, started]).toEqual([1, 3]);
});

test('a failure affects those who share the run, and not the next one', async () => {
  let fails = true;
  const call = oneAtATime(async () => {
    await Promise.resolve();
    if (fails) throw new Error('broken');
    return 'good';
  });
  const both = Promise.allSettled([call(), call()]);
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fails = false;
  expect(await call()).toBe('good');
});
