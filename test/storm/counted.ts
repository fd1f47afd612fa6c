import { addDays, type Day } from '../../src/catalog/day.ts';
import { HookStore } from '../../src/intake/store.ts';
import { COUNTS, countsFileBeside, DAYS } from '../../src/store/layouts.ts';
import { SqlStore } from '../../src/store/sql-store.ts';
import { SqliteDatabase } from '../../src/store/sqlite.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

const FIRST = dayNamed('2026-03-02');

/** The store of days and that of hook events in a folder. */
export function openCounted(folder: string, synchronous: 'FULL' | 'NORMAL' = COUNTS.synchronous) {
  const [clock, log] = [createSystemClock(), createFakeLogger()];
  const path = `${folder}/history.db`;
  const parts = { onDamage: 'replace', log } as const;
  const days = SqliteDatabase.open({ ...parts, path, layout: DAYS });
  const counts = SqliteDatabase.open({
    ...parts,
    path: countsFileBeside(path),
    layout: { ...COUNTS, synchronous },
  });
  const store = new SqlStore({ ...{ days, counts, clock, log }, datasets: [] });
  const hooks = new HookStore({ database: counts, epochOf: () => counts.epochOf(), clock });
  return { log, store, hooks };
}

/** The event with a number. */
export function eventNumbered(number: number) {
  const id = `event ${number}`;
  return {
    id,
    event: 'Stop',
    reason: undefined,
    session: `session ${number % 9}`,
    waiting: undefined,
    at: 1,
  };
}

export function dayNumbered(number: number): Day {
  return addDays(FIRST, number);
}

/** The row of a day, of two pages. */
export function rowOf(day: Day) {
  return { text: day.repeat(700) };
}
