import { expect, test } from 'vitest';
import { addDays } from '../../src/catalog/day.ts';
import { ANONYMOUS } from '../../src/catalog/settings.ts';
import { usersDataset } from '../../src/collectors/users/dataset.ts';
import { withoutForeignRows } from '../../src/pipeline/foreign-rows.ts';
import { RowNotRead } from '../../src/store/store.ts';
import { createFakeView } from '../collectors/fakes.ts';
import { answer } from '../store/files.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createMemoryStore } from '../support/store.ts';

const DAY = dayNamed('2026-03-10');
const [eve, old] = [addDays(DAY, -1), addDays(DAY, -50)];

async function createFollower() {
  const store = createMemoryStore();
  const row = (identity: string) => ({ identity, teamRules: 'none', credits: 5 });
  const rows = { [DAY]: row('other'), [eve]: row('none'), [old]: row('other') };
  await store.putDays('acme', 'users', answer([DAY, eve, old], rows));
  let hasOthers = true;
  const follower = withoutForeignRows(store, {
    hasOthers: () => hasOthers,
    settingsOf: () => ({ ...createFakeView({}).settings, people: ANONYMOUS }),
    isOwn: (_settings, orgId) => !orgId.startsWith('other:'),
    datasets: [usersDataset],
    clock: createFakeClock(0),
  });
  return {
    store,
    follower,
    setOthers(next: boolean) {
      hasOthers = next;
    },
  };
}

test('a follower leaves out the rows that a leader with other settings has made, as days never answered', async () => {
  const { follower } = await createFollower();
  const days = (await follower.read('acme', new Map([['users', eve]]))).days('users');
  expect([days.has(DAY), days.isFilled(DAY), days.get(DAY)]).toEqual([false, false, undefined]);
  expect([days.has(eve), days.get(eve)]).toMatchObject([true, { identity: 'none' }]);
  // Rows that are not read are not shown.
  expect(days.has(old)).toBe(true);
  expect(() => days.get(old)).toThrow(RowNotRead);
  expect((await follower.read('acme')).days('users').has(old)).toBe(false);
});

test('what is published without them is another publication than that of all rows', async () => {
  const { follower, setOthers } = await createFollower();
  const filtered = await follower.standing('acme');
  expect((await follower.read('acme')).epoch).toBe(filtered.epoch);
  setOthers(false);
  const { epoch } = await follower.standing('acme');
  expect(epoch).not.toBe(filtered.epoch);
  expect((await follower.read('acme')).epoch).toBe(epoch);
});

test('a follower whose organization is on another platform than the leader says shows nothing of it', async () => {
  const { store, follower, setOthers } = await createFollower();
  await store.adopt('acme', 'other:host:acme');
  const { days, orgId } = await follower.read('acme');
  expect([orgId, [...days('users').keys()], days('users').has(DAY)]).toEqual([undefined, [], false]);
  setOthers(false);
  expect((await follower.read('acme')).days('users').has(DAY)).toBe(true);
});
