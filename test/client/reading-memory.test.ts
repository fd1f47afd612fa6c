import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { createReadingMemory, type MemoryShare } from '../../src/client/reading-memory.ts';

const MOST = 8_000;
const { signal } = new AbortController();

/** Asks for memory, and tells when it came. */
function ask(share: MemoryShare, bytes: number, until = signal) {
  const state = { came: false };
  const growing = share.grow(bytes, until).then(() => {
    state.came = true;
  });
  return Object.assign(state, { growing });
}

const settle = () => new Promise(setImmediate);

test('one answer may need eight times its bytes, and a quarter of the heap', () => {
  const memory = createReadingMemory();
  expect(memory.open('acme', 1_000).most).toBe(MOST);
  expect(memory.open('acme', 1e15).most).toBe(getHeapStatistics().heap_size_limit / 4);
});

test('all answers together have twice what one may need; the others wait', async () => {
  const memory = createReadingMemory();
  const [one, two, three] = ['a', 'b', 'c'].map((owner) => memory.open(owner, 1_000)) as [
    MemoryShare,
    MemoryShare,
    MemoryShare,
  ];
  await one.grow(MOST, signal);
  await two.grow(MOST, signal);
  const waiting = ask(three, 1);
  await settle();
  expect(waiting.came).toBe(false);
  one.end();
  await waiting.growing;
  await three.grow(MOST, signal);
  two.end();
  three.end();
  three.end();
  await Promise.all([one.grow(MOST, signal), two.grow(MOST, signal)]);
});

test('of answers that all need more than is left, two at most go on at once', async () => {
  const memory = createReadingMemory();
  const shares = Array.from({ length: 8 }, (_, index) => memory.open(`${index}`, 1_000));
  for (const share of shares) await share.grow(MOST / 8, signal);
  let used = 0;
  await Promise.all(
    shares.map(async (share) => {
      await share.grow(MOST, signal);
      used += 1;
      expect(used).toBeLessThan(3);
      await settle();
      used -= 1;
      share.end();
    }),
  );
});

test('the owner that has least goes first', async () => {
  const memory = createReadingMemory();
  const [first, second] = [memory.open('greedy', 1_000), memory.open('greedy', 1_000)];
  await first.grow(MOST, signal);
  await second.grow(MOST, signal);
  const came: string[] = [];
  const others = ['greedy', 'modest'].map(async (owner) => {
    const share = memory.open(owner, 1_000);
    await share.grow(MOST / 2 + 1, signal);
    came.push(owner);
    share.end();
  });
  await settle();
  first.end();
  await Promise.all(others);
  expect(came).toEqual(['modest', 'greedy']);
});

test('a wait ends with its request, and takes nothing', async () => {
  const memory = createReadingMemory();
  const [one, two, late] = ['a', 'b', 'c'].map((owner) => memory.open(owner, 1_000)) as [
    MemoryShare,
    MemoryShare,
    MemoryShare,
  ];
  await one.grow(MOST, signal);
  await two.grow(MOST, signal);
  const ending = new AbortController();
  const waiting = ask(late, MOST, ending.signal);
  const reason = new Error('too late');
  ending.abort(reason);
  await expect(waiting.growing).rejects.toBe(reason);
  await expect(late.grow(MOST, ending.signal)).rejects.toBe(reason);
  one.end();
  await memory.open('d', 1_000).grow(MOST, signal);
});
