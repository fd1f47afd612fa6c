import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { stop } from './contract.ts';
import { createFileStore, openIntake } from './parts.ts';

/** A store whose commits wait, as if other processes held the database. */
function createWaitingStore() {
  const memory = createFileStore();
  const waits: PromiseWithResolvers<void>[] = [];
  const groups: (readonly string[])[] = [];
  const commit = memory.commit.bind(memory);
  const store = Object.assign(memory, {
    async commit(take: Parameters<typeof commit>[0]) {
      const wait = Promise.withResolvers<void>();
      waits.push(wait);
      await wait.promise;
      const arrived = take();
      groups.push(arrived.events.map(({ id }) => id));
      return commit(() => arrived);
    },
  });
  return { store, groups, waits };
}

test('events that arrive while the store waits for other processes are stored in the same commit', async () => {
  const { store, groups, waits } = createWaitingStore();
  const intake = await openIntake(store);
  const first = intake.take([stop('1')]);
  await waitFor(() => expect(waits).toHaveLength(1));
  const others = [intake.take([stop('2'), stop('1')]), intake.take([stop('3')])];
  waits[0]?.resolve();
  expect(await Promise.all([first, ...others])).toEqual([
    { accepted: 1, duplicates: 0 },
    { accepted: 1, duplicates: 1 },
    { accepted: 1, duplicates: 0 },
  ]);
  expect(groups).toEqual([['1', '2', '1', '3']]);
});

test('a store that fails before it has taken any refuses all that have arrived by then', async () => {
  const { store, groups, waits } = createWaitingStore();
  const intake = await openIntake(store);
  const first = intake.take([stop('1')]);
  await waitFor(() => expect(waits).toHaveLength(1));
  const second = intake.take([stop('2')]);
  waits[0]?.reject(new Error('the database is away'));
  expect(await Promise.all([first, second])).toEqual(['unavailable', 'unavailable']);
  await intake.clock.advance(2_000);
  const again = intake.take([stop('1')]);
  await waitFor(() => expect(waits).toHaveLength(2));
  waits[1]?.resolve();
  expect(await again).toEqual({ accepted: 1, duplicates: 0 });
  expect(groups).toEqual([['1']]);
});
