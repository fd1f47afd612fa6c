import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createRandom } from '../fuzz/random.ts';
import { createDirectory } from '../store/files.ts';
import { dayNumbered, eventNumbered, openCounted, rowOf } from './counted.ts';
import { type Call, filesAfter, record } from './power-cut.ts';

// Simulated power cuts: what a program has written is rebuilt from its system calls, without what was not synchronized.

const CUTS = 48;
const writer = fileURLToPath(new URL('./power-cut-writer.ts', import.meta.url));

/** The calls of a program that commits events and stores days. */
function recorded(synchronous: 'FULL' | 'NORMAL'): readonly Call[] {
  const folder = path.join(createDirectory(), 'data');
  mkdirSync(folder);
  return record(writer, folder, [synchronous]);
}

function numbersOf(calls: readonly Call[], said: string): readonly number[] {
  return calls.flatMap((call) =>
    call.does === 'say' && call.text.startsWith(said) ? [Number(call.text.slice(said.length))] : [],
  );
}

/** Opens what a cut has left, and resolves with what the stores hold before and after everything is sent again. */
async function openedAfter(calls: readonly Call[], random: () => number) {
  const folder = createDirectory();
  for (const [name, bytes] of filesAfter(calls, random)) writeFileSync(path.join(folder, name), bytes);
  const { store, hooks, log } = openCounted(folder);
  const counted = async () => (await hooks.load()).events.get('Stop')?.count ?? 0;
  const before = await counted();
  const begun = numbersOf(calls, 'begun ');
  const acknowledged = new Set(numbersOf(calls, 'acknowledged '));
  const sent = await hooks.commit(() => ({ events: begun.map(eventNumbered), now: 1000 }));
  const days = (await store.read('acme')).days('tokens');
  const rows = [...days.keys()].map((day) => [day, days.get(day)]);
  // The file is usable.
  const day = dayNumbered(1);
  await store.putDays('acme', 'tokens', {
    ...{ days: [day], rows: new Map([[day, rowOf(day)]]), orgId: 'org_1', at: 1 },
  });
  const result = {
    lost: begun.filter((number, index) => acknowledged.has(number) && sent.isNew[index]).length,
    ...{ before, acknowledged: acknowledged.size, begun: begun.length, after: await counted(), rows },
    errors: log.events.filter(({ level }) => level === 'error').map(({ fields }) => String(fields['path'])),
  };
  await store.close();
  return result;
}

/** Cuts of a recording, each after another call. */
function cutsOf(calls: readonly Call[]) {
  return Array.from({ length: CUTS }, (_, seed) => {
    const random = createRandom(seed + 1);
    return { seed, random, calls: calls.slice(0, Math.floor(random() * (calls.length + 1))) };
  });
}

test('after a power cut every acknowledged event is counted once, and the days are what was stored of them', async () => {
  for (const { seed, calls, random } of cutsOf(recorded('FULL'))) {
    const found = await openedAfter(calls, random);
    const { before, acknowledged, begun, rows } = found;
    expect(found, `seed ${seed}`).toMatchObject({ lost: 0, after: begun });
    expect(before === acknowledged || before === begun, `seed ${seed}: ${before} counted`).toBe(true);
    expect(rows, `seed ${seed}`).toEqual(rows.map(([day]) => [day, rowOf(day as never)]));
    // Damage of the days costs no count.
    expect(found.errors.filter((file) => !file.endsWith('history.db'))).toEqual([]);
  }
});

test('which finds lost events if a commit does not wait for the disk', async () => {
  let lost = 0;
  for (const { calls, random } of cutsOf(recorded('NORMAL'))) lost += (await openedAfter(calls, random)).lost;
  expect(lost).toBeGreaterThan(0);
});
