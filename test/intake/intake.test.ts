import { cpSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFakeClock } from '../support/fake-clock.ts';
import { propertyRuns } from '../support/thoroughness.ts';
import { describeIntake, ended, stop } from './contract.ts';
import { createFileStore, createPlace, DAY, MINUTE, NOW, openIntake } from './parts.ts';

describeIntake('memory', (clock) => createFileStore(':memory:', { clock }));
describeIntake('an SQLite file', (clock) => createFileStore(createPlace(), { clock }));

describe('over a restart', () => {
  test('counts continue, sessions still wait, and earlier events are known', async () => {
    const file = createPlace();
    const before = await openIntake(createFileStore(file));
    await before.take([
      stop('1'),
      stop('2', ended),
      stop('3', { event: 'Notification', session: 'a', waiting: 'unknown' }),
    ]);
    await before.close();
    const later = createFakeClock(NOW + MINUTE);
    const after = await openIntake(createFileStore(file, { clock: later }), later);
    expect(await after.values('events_total')).toEqual(await before.values('events_total'));
    expect(await after.values('session_ends_total')).toEqual(await before.values('session_ends_total'));
    expect(await after.values('last_event_timestamp_seconds')).toEqual(
      await before.values('last_event_timestamp_seconds'),
    );
    expect(await after.values('sessions_waiting')).toEqual({ '': 1 });
    expect(await after.take([stop('1'), stop('4', { session: 'a', at: NOW + 1 })])).toEqual({
      accepted: 1,
      duplicates: 1,
    });
    expect(await after.values('sessions_waiting')).toEqual({ '': 0 });
  });

  test('any events in any groups with restarts between count as often as there are identities', async () => {
    const group = fc.array(
      fc.record({ id: fc.nat(40), name: fc.constantFrom('Stop', 'Notification', 'other') }),
      {
        minLength: 1,
        maxLength: 10,
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(group, fc.boolean()), { maxLength: 8 }), async (groups) => {
        const file = createPlace();
        let intake = await openIntake(createFileStore(file));
        const first = new Map<string, string>();
        for (const [events, restart] of groups) {
          await intake.take(events.map(({ id, name }) => stop(`${id}`, { event: name })));
          for (const { id, name } of events) if (!first.has(`${id}`)) first.set(`${id}`, name);
          if (!restart) continue;
          await intake.close();
          intake = await openIntake(createFileStore(file));
        }
        const counted = await intake.values('events_total');
        for (const name of ['Stop', 'Notification', 'other']) {
          expect(counted[name]).toBe([...first.values()].filter((one) => one === name).length);
        }
        await intake.close();
      }),
      { numRuns: propertyRuns(25) },
    );
  });
});

describe('identities', () => {
  test('are forgotten after so long that their events are not taken any more', async () => {
    const clock = createFakeClock(NOW);
    const intake = await openIntake(createFileStore(createPlace(), { clock }), clock);
    expect(intake.from()).toBe(NOW - 8 * DAY);
    await intake.take([stop('ahead', { at: NOW + DAY })]);
    // Accepted while the clock was a day ahead: it is remembered as long as it would be accepted.
    clock.set(NOW + 9 * DAY - 1);
    expect(intake.from()).toBeLessThan(NOW + DAY);
    expect(await intake.take([stop('ahead')])).toEqual({ accepted: 0, duplicates: 1 });
    clock.set(NOW + 9 * DAY + 1);
    expect(intake.from()).toBeGreaterThan(NOW + DAY);
    await intake.take([stop('x')]);
    expect(await intake.take([stop('ahead')])).toEqual({ accepted: 1, duplicates: 0 });
  });

  test.each([
    ['memory', () => ':memory:'],
    ['a file', createPlace],
  ])(
    'beyond a limit are dropped oldest first in %s, and nothing older is accepted',
    async (name, placeOf) => {
      const clock = createFakeClock(NOW);
      const file = placeOf();
      const open = () => createFileStore(file, { clock, maxIds: 100 });
      const intake = await openIntake(open(), clock);
      for (let index = 0; index < 30; index++) {
        clock.set(NOW + index * 1000);
        await intake.take(Array.from({ length: 10 }, (_unused, one) => stop(`${index}-${one}`)));
      }
      expect(intake.from()).toBe(NOW + 19_000);
      expect(await intake.take([stop('29-0')])).toEqual({ accepted: 0, duplicates: 1 });
      if (name === 'memory') return;
      await intake.close();
      expect((await openIntake(open(), clock)).from()).toBe(NOW + 19_000);
    },
  );
});

describe('a file that cannot be used', () => {
  test('costs no event: none is accepted until it is usable, and then the counts are right', async () => {
    const file = createPlace();
    const first = await openIntake(createFileStore(file));
    await first.take([stop('1')]);
    await first.close();
    const blocked = path.dirname(file);
    renameSync(blocked, `${blocked}.away`);
    writeFileSync(blocked, 'in the way');
    const second = await openIntake(createFileStore(file));
    expect(await second.take([stop('2')])).toBe('unavailable');
    // A counter that starts at 0 and jumps would look like that many new events.
    expect(await second.values('events_total')).toEqual({});
    expect(second.log.events).toMatchObject([{ level: 'warn', fields: { reason: 'unreachable' } }]);
    rmSync(blocked);
    renameSync(`${blocked}.away`, blocked);
    await second.clock.advance(2_000);
    expect(await second.take([stop('2')])).toEqual({ accepted: 1, duplicates: 0 });
    expect(await second.values('events_total')).toMatchObject({ Stop: 2 });
    expect(second.log.events.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  test('whose log was removed is in use again before an event is acknowledged, and nothing is lost in a crash', async () => {
    const file = createPlace();
    const intake = await openIntake(createFileStore(file));
    await intake.take([stop('1')]);
    rmSync(`${file}-wal`);
    await intake.take([stop('2')]);
    // What a killed process leaves behind.
    const left = createPlace();
    cpSync(path.dirname(file), path.dirname(left), { recursive: true });
    const after = await openIntake(createFileStore(left));
    expect(await after.values('events_total')).toMatchObject({ Stop: 2 });
  });

  test('that was removed is created again, with everything counted so far', async () => {
    const file = createPlace();
    const intake = await openIntake(createFileStore(file));
    await intake.take([stop('1'), stop('2', ended)]);
    rmSync(path.dirname(file), { recursive: true });
    await intake.take([stop('3')]);
    expect(existsSync(file)).toBe(true);
    await intake.close();
    const after = await openIntake(createFileStore(file));
    expect(await after.values('events_total')).toMatchObject({ Stop: 2, SessionEnd: 1 });
    expect(await after.values('session_ends_total')).toMatchObject({ clear: 1 });
  });
});
