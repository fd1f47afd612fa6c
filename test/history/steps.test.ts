import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { addDays } from '../../src/catalog/day.ts';
import { createHistoryState, type HistoryState } from '../../src/history/state.ts';
import { createSystemClock } from '../../src/runtime/clock.ts';
import { dayNamed } from '../support/day.ts';
import { answer, createDirectory, listing, openHistory } from './files.ts';

const monday = dayNamed('2026-03-02');
const tuesday = addDays(monday, 1);

/** Each look at it ends a slice. */
function hurriedClock() {
  let elapsed = 0;
  return { ...createSystemClock(), elapsed: () => (elapsed += 10) };
}

/** Two organizations in a file; the name of one has belonged to others before. */
function storedState(): HistoryState {
  const state = createHistoryState();
  state.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 1 } }, 1, 'org_1'));
  state.adopt('acme', 'org_2');
  state.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 2 } }, 2, 'org_2'));
  state.putDocuments('acme', 'readiness', listing({ a: { n: 2 } }));
  state.putDays('globex', 'tokens', answer([monday], { [monday]: { n: 3 } }, 3, 'org_9'));
  return state;
}

function contentOf(state: HistoryState) {
  return [...state.slots()]
    .map(([slot, { datasets, ...org }]) => ({
      ...{ slot, ...org },
      datasets: [...datasets].map(([name, { days, documents, answeredAt }]) => ({
        ...{ name, answeredAt },
        ...{ days: [...days], documents: [...documents] },
      })),
    }))
    .toSorted((one, other) => one.slot.localeCompare(other.slot));
}

test.each<readonly [string, (state: HistoryState) => unknown]>([
  ['another row', (state) => state.putDays('acme', 'tokens', answer([tuesday], { [tuesday]: { n: 4 } }))],
  ['a listing', (state) => state.putDocuments('acme', 'readiness', listing({ b: {} }))],
  ['the organization of a name', (state) => state.adopt('acme', 'org_1')],
  ['another organization of a name', (state) => state.adopt('acme', 'org_3')],
])('%s that comes while a file is added comes before or after it', (_what, change) => {
  const stored = storedState().slots();
  const steps = [...createHistoryState().absorb(stored, undefined)].length;
  expect(steps).toBe(2);
  const results = [0, 1, 2].map((at) => {
    const state = createHistoryState();
    const absorbing = state.absorb(stored, undefined);
    for (let step = 0; step < at; step++) absorbing.next();
    change(state);
    for (const _ of absorbing);
    return contentOf(state);
  });
  const [before, between, after] = results;
  expect([before, after]).toContainEqual(between);
});

test('what is stored while a file is added late is in the file too', async () => {
  const written = path.join(createDirectory(), 'data');
  const first = await openHistory(path.join(written, 'history.db'));
  for (const org of ['acme', 'globex', 'initech'])
    await first.putDays(org, 'tokens', answer([monday], { [monday]: { org } }));
  await first.close();
  const place = path.join(createDirectory(), 'data');
  const file = path.join(place, 'history.db');
  writeFileSync(place, 'in the way');
  const second = await openHistory(file, { clock: hurriedClock() });
  rmSync(place);
  renameSync(written, place);
  const sweeping = second.sweep();
  const putting = ['initech', 'acme', 'globex'].map((org) =>
    second.putDays(org, 'tokens', answer([tuesday], { [tuesday]: { org } })),
  );
  await Promise.all([sweeping, ...putting]);
  await second.close();
  const third = await openHistory(file);
  for (const org of ['acme', 'globex', 'initech'])
    expect([...(await third.read(org)).days('tokens')]).toEqual([
      [monday, { org }],
      [tuesday, { org }],
    ]);
});

test('what is stored while rows are amended is not lost', async () => {
  const file = path.join(createDirectory(), 'history.db');
  const history = await openHistory(file, { clock: hurriedClock() });
  const orgs = ['acme', 'globex', 'initech'];
  for (const org of orgs)
    await history.putDays(org, 'users', answer([monday], { [monday]: { who: 'someone' } }));
  const amending = history.amend('users', (row) => ({ ...(row as object), who: undefined }));
  const putting = orgs.map((org) => history.putDays(org, 'users', answer([tuesday], { [tuesday]: { org } })));
  await Promise.all([amending, ...putting]);
  await history.close();
  const again = await openHistory(file);
  for (const org of orgs)
    expect([...(await again.read(org)).days('users')]).toEqual([
      [monday, {}],
      [tuesday, { org }],
    ]);
});
