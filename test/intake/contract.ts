import { describe, expect, test } from 'vitest';
import type { HookEvent } from '../../src/intake/event.ts';
import type { HookStore } from '../../src/intake/store.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { waitFor } from '../support/wait-for.ts';
import { HOUR, NOW, openIntake } from './parts.ts';

/** What the intake does over every store. */
export function describeIntake(
  name: string,
  createStoreWith: (clock: FakeClock) => HookStore | Promise<HookStore>,
): void {
  const createStore = () => createStoreWith(createFakeClock(NOW));
  describe(`the intake over ${name}`, () => {
    test('counts each event once, however often it is sent', async () => {
      const intake = await openIntake(await createStore());
      expect(await intake.take([stop('1'), stop('2', ended), stop('1')])).toEqual({
        accepted: 2,
        duplicates: 1,
      });
      expect(await intake.take([stop('2', ended), stop('3')])).toEqual({ accepted: 1, duplicates: 1 });
      expect(await intake.values('events_total')).toMatchObject({
        Stop: 2,
        SessionEnd: 1,
        Notification: 0,
        other: 0,
      });
      expect(await intake.values('session_ends_total')).toEqual({
        ...{ clear: 1, error: 0, logout: 0, other: 0, prompt_input_exit: 0 },
      });
      expect(await intake.values('last_event_timestamp_seconds')).toEqual({
        Stop: NOW / 1000,
        SessionEnd: NOW / 1000,
      });
    });

    test('answers concurrent requests separately', async () => {
      const intake = await openIntake(await createStore());
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_unused, index) =>
          intake.take([stop(`${index % 150}`), stop(`x${index}`)]),
        ),
      );
      expect(answers.filter((answer) => typeof answer === 'object' && answer.duplicates === 1)).toHaveLength(
        50,
      );
      expect(await intake.values('events_total')).toMatchObject({ Stop: 350 });
    });

    test('shows how many sessions wait, until an hour has passed', async () => {
      const intake = await openIntake(await createStore());
      expect(await intake.values('sessions_waiting')).toEqual({ '': 0 });
      await intake.take([stop('1', { event: 'Notification', session: 'a', waiting: 'unknown' })]);
      expect(await intake.values('sessions_waiting')).toEqual({ '': 1 });
      await intake.clock.advance(HOUR);
      expect(await intake.values('sessions_waiting')).toEqual({ '': 0 });
    });

    test('counts each wait once, with its length, after an hour', async () => {
      const clock = createFakeClock(NOW);
      const intake = await openIntake(await createStoreWith(clock), clock);
      const begun = stop('1', { event: 'Notification', session: 'a', waiting: 'idle_prompt' });
      const alone = stop('2', { event: 'Notification', session: 'b', waiting: 'unknown' });
      const next = stop('3', { session: 'a', at: NOW + 7_500 });
      await intake.take([next, begun, alone]);
      await intake.take([begun, next]);
      const lines = async () =>
        (await intake.registry.metrics()).match(/^\S+_wait_seconds_(sum|count)\S* [^0].*$/gm);
      expect(await lines()).toBeNull();
      for (let hours = 0; hours < 3; hours += 1) await clock.advance(HOUR);
      await waitFor(async () =>
        expect(await lines()).toEqual([
          'agent_platform_hook_wait_seconds_sum{notification_type="idle_prompt"} 7.5',
          'agent_platform_hook_wait_seconds_count{notification_type="idle_prompt"} 1',
          'agent_platform_hook_wait_seconds_sum{notification_type="unknown"} 3600',
          'agent_platform_hook_wait_seconds_count{notification_type="unknown"} 1',
        ]),
      );
    });

    test('does not accept more than it can store', async () => {
      const intake = await openIntake(await createStore());
      const batch = (name: string) =>
        Array.from({ length: 1000 }, (_unused, index) => stop(`${name}-${index}`));
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_unused, index) => intake.take(batch(`${index}`))),
      );
      const taken = answers.filter((answer) => typeof answer === 'object');
      expect(answers.filter((answer) => answer === 'busy')).toHaveLength(30 - taken.length);
      expect(taken).toHaveLength(20);
      expect(await intake.values('events_total')).toMatchObject({ Stop: 20_000 });
      expect(await intake.take(batch('later'))).toMatchObject({ accepted: 1000 });
    });
  });
}

/** An event. */
export function stop(id: string, changes: Partial<HookEvent> = {}): HookEvent {
  return {
    id,
    event: 'Stop',
    reason: undefined,
    session: undefined,
    waiting: undefined,
    at: NOW,
    ...changes,
  };
}

/** What makes it the end of a session. */
export const ended: Partial<HookEvent> = { event: 'SessionEnd', reason: 'clear' };
