import { expect, test } from 'vitest';
import { ClientLimits } from '../../src/intake/client-limits.ts';
import { createFakeClock } from '../support/fake-clock.ts';

function create(changes: { perSecond?: number; burst?: number; maxClients?: number } = {}) {
  const clock = createFakeClock(0);
  const limits = new ClientLimits({ perSecond: 2, burst: 3, clock, ...changes });
  return { clock, take: (address: string | undefined) => limits.take(address) };
}

test('a client may send its burst, then its rate, and learns when to retry', async () => {
  const { take, clock } = create();
  expect([take('a'), take('a'), take('a'), take('a')]).toEqual([0, 0, 0, 1]);
  await clock.advance(500);
  expect([take('a'), take('a')]).toEqual([0, 1]);
  await clock.advance(60_000);
  expect([take('a'), take('a'), take('a'), take('a')]).toEqual([0, 0, 0, 1]);
});

test('one client’s requests are not another’s', () => {
  const { take } = create({ burst: 1 });
  expect([take('10.0.0.1'), take('10.0.0.2'), take('10.0.0.1'), take(undefined)]).toEqual([0, 0, 1, 0]);
});

test('addresses of one IPv6 network are one client', () => {
  const { take } = create({ burst: 1 });
  expect(take('2001:db8:1:2::1')).toBe(0);
  expect(take('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe(1);
  expect(take('2001:db8:1:3::1')).toBe(0);
  expect([take('::1'), take('::2'), take('::ffff:10.0.0.1'), take('::ffff:10.0.0.2')]).toEqual([0, 1, 0, 0]);
});

test('a limited number of clients is remembered: the most recent ones', () => {
  const { take } = create({ burst: 1, maxClients: 3 });
  for (const client of ['a', 'b', 'c', 'a', 'd']) take(client);
  expect([take('a'), take('c'), take('b')]).toEqual([1, 1, 0]);
});

test('a client never gets more than its burst and its rate', async () => {
  const { take, clock } = create({ perSecond: 10, burst: 5 });
  let taken = 0;
  for (let step = 0; step < 1000; step++) {
    if (take('a') === 0) taken += 1;
    await clock.advance((step * 7) % 50);
  }
  expect(taken).toBeLessThanOrEqual(5 + clock.elapsed() / 100);
  expect(taken).toBeGreaterThan(clock.elapsed() / 100 - 1);
});
