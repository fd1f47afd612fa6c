import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  absorb,
  applied,
  MAX_SESSIONS,
  type SessionState,
  type Tally,
  waitingAt,
} from '../../../src/hooks/intake/counts.ts';
import type { HookEvent } from '../../../src/hooks/intake/event.ts';
import { DAY, HOUR, MINUTE, NOW } from './parts.ts';

function event(name: string, session: string | undefined, at: number): HookEvent {
  return {
    id: `${name} ${at}`,
    event: name,
    session,
    reason: undefined,
    waiting: name === 'Notification',
    at,
  };
}

/** Tallies consecutive groups of events, each at its time. */
function tallied(...groups: readonly (readonly [number, readonly HookEvent[]])[]): Tally {
  const sessions = new Map<string, SessionState>();
  let tally: Tally = { events: new Map(), ends: new Map(), sessions };
  for (const [now, events] of groups) tally = applied(sessions, absorb(tally, events, now));
  return tally;
}

function waiting(now: number, ...events: readonly HookEvent[]): number {
  return waitingAt(tallied([now, events]).sessions, now);
}

describe('a session waits', () => {
  test('from a notification on, each session once', () => {
    expect(waiting(NOW, event('Notification', 'a', NOW), event('Notification', 'a', NOW + 1))).toBe(1);
    expect(waiting(NOW, event('Notification', 'a', NOW), event('Notification', 'b', NOW))).toBe(2);
  });

  test.each(['UserPromptSubmit', 'PostToolUse', 'SessionEnd', 'Stop', 'other'])('until %s', (name) => {
    expect(waiting(NOW, event('Notification', 'a', NOW - 2), event(name, 'a', NOW - 1))).toBe(0);
  });

  test('even if the event that ended it arrives before it', () => {
    const notified = event('Notification', 'a', NOW - 2);
    const answered = event('UserPromptSubmit', 'a', NOW - 1);
    expect(waiting(NOW, answered, notified)).toBe(0);
    const tally = tallied([NOW, [answered]], [NOW + 1, [notified]]);
    expect(waitingAt(tally.sessions, NOW + 1)).toBe(0);
  });

  test('in the order of arrival if two happened at the same moment', () => {
    expect(waiting(NOW, event('Stop', 'a', NOW), event('Notification', 'a', NOW))).toBe(1);
    expect(waiting(NOW, event('Notification', 'a', NOW), event('Stop', 'a', NOW))).toBe(0);
  });

  test('not for another session’s event, nor without a session', () => {
    expect(waiting(NOW, event('Notification', 'a', NOW), event('Stop', 'b', NOW))).toBe(1);
    expect(waiting(NOW, event('Notification', undefined, NOW))).toBe(0);
  });

  test('until what follows, also where the notification is dated in the future', () => {
    const notified = event('Notification', 'a', NOW + 20 * HOUR);
    const { sessions } = tallied([NOW, [notified]], [NOW + MINUTE, [event('Stop', 'a', NOW + 30_000)]]);
    expect(waitingAt(sessions, NOW + MINUTE)).toBe(0);
  });

  test('not for longer than an hour by a clock that has been set back', () => {
    const { sessions } = tallied([NOW, [event('Notification', 'a', NOW)]]);
    expect(waitingAt(sessions, NOW - 8 * HOUR)).toBe(0);
  });

  test('an hour, counted from when it happened', () => {
    const { sessions } = tallied([NOW, [event('Notification', 'a', NOW - 10 * MINUTE)]]);
    expect(waitingAt(sessions, NOW + 50 * MINUTE - 1)).toBe(1);
    expect(waitingAt(sessions, NOW + 50 * MINUTE)).toBe(0);
    expect(waiting(NOW, event('Notification', 'a', NOW - HOUR))).toBe(0);
  });

  test('an hour from its arrival where the sender’s clock is ahead', () => {
    const { sessions, events } = tallied([NOW, [event('Notification', 'a', NOW + DAY)]]);
    expect(waitingAt(sessions, NOW + HOUR - 1)).toBe(1);
    expect(waitingAt(sessions, NOW + HOUR)).toBe(0);
    expect(events.get('Notification')?.lastAt).toBe(NOW);
  });
});

test('the newest event of a name is the newest, in whatever order they come', () => {
  const { events } = tallied([NOW, [event('Stop', 'a', NOW - 5), event('Stop', 'b', NOW - 9)]]);
  expect(events.get('Stop')).toEqual({ count: 2, lastAt: NOW - 5 });
});

test('sessions are forgotten an hour after their last event, and the ones silent longest beyond a bound', () => {
  const many = Array.from({ length: MAX_SESSIONS + 500 }, (_, index) =>
    event('Notification', `s${index}`, NOW),
  );
  const groups = [];
  for (let start = 0; start < many.length; start += 1000)
    groups.push([NOW, many.slice(start, start + 1000)] as const);
  const tally = tallied(...groups, [NOW, [event('Notification', 'last', NOW)]]);
  expect(tally.sessions.size).toBeLessThanOrEqual(MAX_SESSIONS);
  expect(tally.sessions.has('last')).toBe(true);
  expect(tally.sessions.has('s0')).toBe(false);
  const later = tallied(...groups, [NOW + 2 * HOUR, [event('Stop', 'new', NOW + 2 * HOUR)]]);
  expect([...later.sessions.keys()]).toEqual(['new']);
});

test('whatever comes in whatever groups and order, a session waits exactly while its newest event is a notification', () => {
  const step = fc.record({
    name: fc.constantFrom('Notification', 'Stop', 'PostToolUse'),
    session: fc.constantFrom('a', 'b', 'c'),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 30 }),
      fc.infiniteStream(fc.nat(5)),
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      (steps, sizes, order) => {
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
        const tally = tallied(...groups);
        const newest = new Map(events.map(({ session, event: name }) => [session, name]));
        const expected = [...newest.values()].filter((name) => name === 'Notification').length;
        expect(waitingAt(tally.sessions, NOW)).toBe(expected);
        const total = [...tally.events.values()].reduce((sum, { count }) => sum + count, 0);
        expect(total).toBe(events.length);
      },
    ),
  );
});
