import { describe, expect, test } from 'vitest';
import { addDays, type Day, startOf } from '../../src/catalog/day.ts';
import { MAX_SWEPT, planSweep } from '../../src/store/retention.ts';
import type { Store } from '../../src/store/store.ts';
import { createRandom } from '../fuzz/random.ts';
import { dayNamed } from '../support/day.ts';
import { propertyRuns } from '../support/thoroughness.ts';
import { answer, createDirectory, openStore } from './files.ts';

const first = dayNamed('2026-01-01');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function daysOf(count: number, from: Day = first): readonly Day[] {
  return Array.from({ length: count }, (_, index) => addDays(from, index));
}

async function put(store: Pick<Store, 'putDays'>, days: readonly Day[], org = 'acme') {
  await store.putDays(org, 'tokens', answer(days, Object.fromEntries(days.map((day) => [day, { n: 1 }]))));
}

async function oldest(store: Pick<Store, 'read'>, org = 'acme') {
  return [...(await store.read(org)).days('tokens').keys()].toSorted()[0];
}

describe('retention', () => {
  test('counts from the newest day known, whatever the clock says', async () => {
    const store = openStore(':memory:');
    await put(store, daysOf(100));
    const now = startOf(addDays(first, 100)) + 12 * HOUR;
    for (const at of [now, now + 365 * DAY, now + 370 * DAY, now + 20 * 365 * DAY]) {
      await store.sweep({ days: 70, now: at, orgs: ['acme'] });
      expect(await oldest(store)).toBe(addDays(first, 30));
    }
    await store.sweep({ days: 70, now: now - 50 * DAY, orgs: ['acme'] });
    expect(await oldest(store)).toBe(addDays(first, 30));
  });

  test('counts from yesterday where a platform is ahead', async () => {
    const store = openStore(':memory:');
    await put(store, daysOf(100));
    await store.sweep({ days: 10, now: startOf(addDays(first, 50)), orgs: ['acme'] });
    expect(await oldest(store)).toBe(addDays(first, 40));
  });

  test('ages the rows of removed organizations by the days of the others', async () => {
    const store = openStore(':memory:');
    await put(store, daysOf(10), 'gone');
    await put(store, daysOf(10, addDays(first, 20)));
    await store.sweep({ days: 12, now: startOf(addDays(first, 30)), orgs: ['acme'] });
    expect(await oldest(store, 'gone')).toBeUndefined();
    expect(await oldest(store)).toBe(addDays(first, 20));
  });

  test('accepts a step of more than a month a day later, even after a restart', async () => {
    const file = `${createDirectory()}/history.db`;
    let store = openStore(file);
    await put(store, daysOf(30));
    const now = startOf(addDays(first, 30));
    await store.sweep({ days: 30, now, orgs: ['acme'] });
    // A platform with the same wrong clock.
    const leap = addDays(first, 300);
    await put(store, [leap]);
    const wrong = startOf(addDays(leap, 1));
    for (const hours of [0, 1, 23]) {
      await store.sweep({ days: 30, now: wrong + hours * HOUR, orgs: ['acme'] });
      expect(await oldest(store)).toBe(first);
      await store.close();
      store = openStore(file);
    }
    await store.sweep({ days: 30, now: wrong + 24 * HOUR, orgs: ['acme'] });
    expect(await oldest(store)).toBe(leap);
  });

  test('counts the day before a step is accepted from when a clock was set back, which was wrong once', () => {
    const mark = { day: first };
    const leap = startOf(addDays(first, 800));
    const ahead = planSweep(addDays(first, 900), { days: 30, now: leap }, mark);
    expect(ahead).toEqual({ firstDay: undefined, mark: { day: first, doubtedSince: leap } });
    const now = startOf(addDays(first, 400));
    const back = planSweep(addDays(first, 900), { days: 30, now }, ahead.mark);
    expect(back).toEqual({ firstDay: undefined, mark: { day: first, doubtedSince: now } });
    const almost = planSweep(addDays(first, 900), { days: 30, now: now + DAY - 1 }, back.mark);
    expect(almost.firstDay).toBeUndefined();
    const later = planSweep(addDays(first, 900), { days: 30, now: now + DAY }, almost.mark);
    expect(later).toEqual({ firstDay: addDays(first, 371), mark: { day: addDays(first, 400) } });
  });

  test('takes no return from a clock that was set back for a step', () => {
    const options = (index: number) => ({ days: 30, now: startOf(addDays(first, index)) });
    const mark = { day: addDays(first, 99) };
    const back = planSweep(addDays(first, 99), options(50), mark);
    expect(back).toEqual({ firstDay: addDays(first, 20), mark });
    expect(planSweep(addDays(first, 100), options(101), back.mark).firstDay).toBe(addDays(first, 71));
  });

  test('removes a bounded part at a time', async () => {
    const store = openStore(':memory:');
    const count = 2 * MAX_SWEPT + 500;
    const orgs = Array.from({ length: 5 }, (_, index) => `org-${index}`);
    for (const org of orgs) await put(store, daysOf(count / 5), org);
    const sizes = async () =>
      (await Promise.all(orgs.map(async (org) => (await store.read(org)).days('tokens').size))).reduce(
        (a, b) => a + b,
      );
    const left: number[] = [];
    for (let sweeps = 0; sweeps < 4; sweeps++) {
      await store.sweep({ days: 1, now: startOf(addDays(first, count)), orgs });
      left.push(await sizes());
    }
    expect(left).toEqual([count - MAX_SWEPT, count - 2 * MAX_SWEPT, 5, 5]);
  });

  test('never removes one of the newest days, however the clock steps', async () => {
    for (let seed = 1; seed <= propertyRuns(40); seed++) {
      const random = createRandom(seed);
      const store = openStore(':memory:');
      let newest = addDays(first, 80);
      await put(store, daysOf(81));
      let skew = 0;
      for (let sweeps = 0; sweeps < 60; sweeps++) {
        if (random() < 0.2) skew = (random() - 0.3) * 800 * DAY;
        if (random() < 0.5) {
          newest = addDays(newest, 1);
          await put(store, [newest]);
        }
        const now = Math.max(0, startOf(newest) + (1.5 + random()) * DAY + skew);
        await store.sweep({ days: 70, now, orgs: ['acme'] });
        const known = (await store.read('acme')).days('tokens');
        const newestDays = Array.from({ length: 70 }, (_, age) => addDays(newest, -age));
        expect(
          newestDays.filter((day) => !known.has(day)),
          `seed ${seed}`,
        ).toEqual([]);
      }
    }
  });
});
