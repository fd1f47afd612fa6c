import { expect, test } from 'vitest';
import { createSerialQueue } from '../../src/work/serial-queue.ts';

test('tasks run one after the other, in order, whatever their outcome', async () => {
  const queue = createSerialQueue();
  const seen: string[] = [];
  const task = (name: string, fails = false) =>
    queue.run(async () => {
      seen.push(`${name} starts`);
      await Promise.resolve();
      seen.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const done = await Promise.allSettled([task('a'), task('b', true), task('c')]);
  expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(seen).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends']);
});

test('the queue is idle once everything given has settled, failures included', async () => {
  const queue = createSerialQueue();
  let ended = false;
  const failing = queue.run(() => Promise.reject(new Error('no')));
  const last = queue.run(() => {
    ended = true;
  });
  await queue.idle();
  expect(ended).toBe(true);
  await expect(failing).rejects.toThrow('no');
  await last;
});
