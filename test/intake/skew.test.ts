import { expect, onTestFinished, test } from 'vitest';
import { HookStore } from '../../src/intake/store.ts';
import { COUNTS } from '../../src/store/layouts.ts';
import { SqliteDatabase } from '../../src/store/sqlite.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { waitFor } from '../support/wait-for.ts';
import { stop } from './contract.ts';
import { DAY, HOUR, MINUTE, NOW, openIntake } from './parts.ts';

/** A shared database with a time of its own, and replicas whose clocks differ from it by so much. */
async function openReplicas(...skews: readonly number[]) {
  const database = SqliteDatabase.open({
    ...{ path: ':memory:', layout: COUNTS, onDamage: 'replace', log: createFakeLogger() },
  });
  onTestFinished(() => database.close());
  const judge = createFakeClock(NOW);
  const open = async (skew: number) => {
    const clock = createFakeClock(NOW + skew);
    const shared = { opened: Promise.resolve(), time: () => `${judge.now()}` };
    const store = new HookStore({ database, epochOf: () => database.epochOf(), clock, shared });
    await waitFor(() => expect(clock.waits).toHaveLength(1));
    return openIntake(store, clock);
  };
  const replicas = [];
  for (const skew of skews) replicas.push(await open(skew));
  return { replicas, judge, database };
}

const waits = (id: string, session: string, at = NOW) =>
  stop(id, { event: 'Notification', session, waiting: 'permission_prompt', at });

test('a replica whose clock is ahead neither forgets sessions of others nor dates events into the future', async () => {
  const { replicas } = await openReplicas(0, 2 * HOUR, -2 * HOUR);
  const [right, ahead, behind] = replicas;
  await right?.take([waits('1', 'a')]);
  await ahead?.take([waits('2', 'b'), stop('3', { session: 'c', at: NOW + 2 * HOUR })]);
  await behind?.take([waits('4', 'd')]);
  for (const replica of replicas) {
    // The next look sees what others have added.
    await replica.clock.advance(1_000);
    await waitFor(async () => expect(await replica.values('sessions_waiting')).toEqual({ '': 3 }));
    const last = Object.values(await replica.values('last_event_timestamp_seconds'));
    expect(Math.max(...last)).toBe(NOW / 1000);
  }
});

test('a time in the future that is stored already ends without another event of its name', async () => {
  const { replicas, database } = await openReplicas(0);
  const [replica] = replicas;
  await replica?.take([stop('1'), stop('2', { event: 'SessionStart' })]);
  await database.transaction((query) => query('UPDATE S.hook_event SET last_at = $1', [NOW + 9 * HOUR]));
  await replica?.take([stop('3', { at: NOW })]);
  expect(await replica?.values('last_event_timestamp_seconds')).toMatchObject({ Stop: NOW / 1000 });
  // The judge's time stands still here: whatever is in the future becomes the present.
  for (let minute = 0; minute < 12; minute += 1) await replica?.clock.advance(MINUTE);
  await waitFor(async () =>
    expect(await replica?.values('last_event_timestamp_seconds')).toMatchObject({ SessionStart: NOW / 1000 }),
  );
});

test.each([365, -365, 2, -2])(
  'a database whose clock is off by %s days stops and forgets nothing',
  async (days) => {
    const { replicas, judge } = await openReplicas(0, 0);
    const [one, other] = replicas;
    for (const replica of replicas) await replica.clock.advance(1_000);
    // Before the first event as well as after it.
    judge.set(NOW + days * DAY);
    await one?.take([waits('1', 'a')]);
    expect(Math.abs(Number(one?.time()) - NOW)).toBeLessThan(MINUTE);
    for (const [step, off] of [0, days * DAY].entries()) {
      judge.set(NOW + off);
      for (const replica of replicas) await replica.clock.advance(1_000);
      await other?.take([waits(`2-${step}`, 'b')]);
      for (const replica of replicas) {
        await replica.clock.advance(1_000);
        await waitFor(async () => expect(await replica.values('sessions_waiting')).toEqual({ '': 2 }));
        expect(Math.abs(replica.time() - NOW)).toBeLessThan(MINUTE);
      }
    }
  },
);

test('events that come right after the database has lost commits are counted', async () => {
  const { replicas, database } = await openReplicas(0);
  const [replica] = replicas;
  await replica?.take([stop('1')]);
  await replica?.take([stop('2'), stop('3')]);
  // The last commit is lost, and no look comes in between.
  await database.transaction(async (query) => {
    await query('UPDATE S.hook_event SET count = 1');
    await query(`DELETE FROM S.hook_seen WHERE id <> '1'`);
    await query('UPDATE S.hook_state SET version = version - 1');
  });
  expect(await replica?.take([stop('4')])).toEqual({ accepted: 1, duplicates: 0 });
  expect(await replica?.values('events_total')).toMatchObject({ Stop: 4 });
});
