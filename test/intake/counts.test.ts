import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { waitingAt } from '../../src/intake/counts.ts';
import type { HookEvent } from '../../src/intake/event.ts';
import { createFileStore, DAY, HOUR, MINUTE, NOW } from './parts.ts';

function event(name: string, session: string | undefined, at: number): HookEvent {
  return {
    id: `${name} ${session} ${at}`,
    event: name,
    session,
    reason: undefined,
    waiting: name === 'Notification' ? 'unknown' : undefined,
    at,
  };
}

/** What is counted after consecutive groups of events, each at its time. */
async function counted(...groups: readonly (readonly [number, readonly HookEvent[]])[]) {
  const store = createFileStore();
  onTestFinished(() => store.close());
  let counts = await store.load();
  for (const [now, events] of groups) ({ counts } = await store.commit(() => ({ events, now })));
  return { ...counts, waiting: (at: number) => waitingAt(counts.waitingUntil, at) };
}

async function waiting(now: number, ...events: readonly HookEvent[]): Promise<number> {
  return (await counted([now, events])).waiting(now);
}

describe('a session waits', () => {
  test('from a notification on, each session once', async () => {
    expect(await waiting(NOW, event('Notification', 'a', NOW), event('Notification', 'a', NOW + 1))).toBe(1);
    expect(await waiting(NOW, event('Notification', 'a', NOW), event('Notification', 'b', NOW))).toBe(2);
  });

  test.each(['UserPromptSubmit', 'PostToolUse', 'SessionEnd', 'Stop', 'other'])('until %s', async (name) => {
    expect(await waiting(NOW, event('Notification', 'a', NOW - 2), event(name, 'a', NOW - 1))).toBe(0);
  });

  test('even if the event that ended it arrives before it', async () => {
    const notified = event('Notification', 'a', NOW - 2);
    const answered = event('UserPromptSubmit', 'a', NOW - 1);
    expect(await waiting(NOW, answered, notified)).toBe(0);
    expect((await counted([NOW, [answered]], [NOW + 1, [notified]])).waiting(NOW + 1)).toBe(0);
  });

  test('in the order of arrival if two happened at the same moment', async () => {
    expect(await waiting(NOW, event('Stop', 'a', NOW), event('Notification', 'a', NOW))).toBe(1);
    expect(await waiting(NOW, event('Notification', 'a', NOW), event('Stop', 'a', NOW))).toBe(0);
    const [notified, stopped] = [event('Notification', 'a', NOW), event('Stop', 'a', NOW)];
    expect((await counted([NOW, [notified]], [NOW, [stopped]])).waiting(NOW)).toBe(0);
  });

  test('not for another session’s event, nor without a session', async () => {
    expect(await waiting(NOW, event('Notification', 'a', NOW), event('Stop', 'b', NOW))).toBe(1);
    expect(await waiting(NOW, event('Notification', undefined, NOW))).toBe(0);
  });

  test('until what follows, also where the notification is dated in the future', async () => {
    const notified = event('Notification', 'a', NOW + 20 * HOUR);
    const after = await counted([NOW, [notified]], [NOW + MINUTE, [event('Stop', 'a', NOW + 30_000)]]);
    expect(after.waiting(NOW + MINUTE)).toBe(0);
  });

  test('until what follows, also where this clock has been set back since the notification', async () => {
    const [notified, stopped] = [event('Notification', 'a', NOW), event('Stop', 'a', NOW - HOUR / 2)];
    expect((await counted([NOW, [notified]], [NOW - HOUR / 2, [stopped]])).waiting(NOW - HOUR / 2)).toBe(0);
  });

  test('not for longer than an hour by a clock that has been set back', async () => {
    expect((await counted([NOW, [event('Notification', 'a', NOW)]])).waiting(NOW - 8 * HOUR)).toBe(0);
  });

  test('an hour, counted from when it happened', async () => {
    const { waiting: at } = await counted([NOW, [event('Notification', 'a', NOW - 10 * MINUTE)]]);
    expect(at(NOW + 50 * MINUTE - 1)).toBe(1);
    expect(at(NOW + 50 * MINUTE)).toBe(0);
    expect(await waiting(NOW, event('Notification', 'a', NOW - HOUR))).toBe(0);
  });

  test('an hour from its arrival where the sender’s clock is ahead', async () => {
    const { waiting: at, events } = await counted([NOW, [event('Notification', 'a', NOW + DAY)]]);
    expect(at(NOW + HOUR - 1)).toBe(1);
    expect(at(NOW + HOUR)).toBe(0);
    expect(events.get('Notification')?.lastAt).toBe(NOW);
  });
});

test('the newest event of a name is the newest, in whatever order they come', async () => {
  const [newer, older] = [event('Stop', 'a', NOW - 5), event('Stop', 'b', NOW - 9)];
  expect((await counted([NOW, [newer, older]])).events.get('Stop')).toEqual({ count: 2, lastAt: NOW - 5 });
  const apart = await counted([NOW, [newer]], [NOW, [older]]);
  expect(apart.events.get('Stop')).toEqual({ count: 2, lastAt: NOW - 5 });
});

test('beyond a bound, the sessions silent for longest are forgotten', async () => {
  const store = createFileStore();
  onTestFinished(() => store.close());
  const commit = async (name: string, from: number, to: number) => {
    const events = Array.from({ length: to - from }, (_, index) => event(name, `s${from + index}`, NOW));
    return waitingAt((await store.commit(() => ({ events, now: NOW }))).counts.waitingUntil, NOW);
  };
  // Sessions are counted with each sixteenth commit.
  for (let from = 0; from < 48_000; from += 3_200) await commit('Notification', from, from + 3_200);
  expect(await commit('Notification', 48_000, 51_200)).toBe(50_000);
  // The newest stayed: they stop waiting one by one.
  expect(await commit('Stop', 50_200, 51_200)).toBe(49_000);
});

test('whatever comes in whatever groups and order, a session waits exactly while its newest event is a notification', async () => {
  const step = fc.record({
    name: fc.constantFrom('Notification', 'Stop', 'PostToolUse'),
    session: fc.constantFrom('a', 'b', 'c'),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.infiniteStream(fc.nat(5)),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      async (steps, sizes, order) => {
        const events = steps.map(({ name, session }, index) => event(name, session, NOW - 1000 + index));
        const shuffled = events
          .map((one) => ({ one, key: order.next().value ?? 0 }))
          .sort((a, b) => a.key - b.key)
          .map(({ one }) => one);
        const groups = [];
        for (let rest = shuffled; rest.length > 0; ) {
          const size = 1 + (sizes.next().value ?? 0);
          groups.push([NOW, rest.slice(0, size)] as const);
          rest = rest.slice(size);
        }
        const after = await counted(...groups);
        const newest = new Map(events.map(({ session, event: name }) => [session, name]));
        const expected = [...newest.values()].filter((name) => name === 'Notification').length;
        expect(after.waiting(NOW)).toBe(expected);
        const total = [...after.events.values()].reduce((sum, { count }) => sum + count, 0);
        expect(total).toBe(events.length);
      },
    ),
  );
});
