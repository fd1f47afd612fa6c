import { writeSync } from 'node:fs';
import { dayNumbered, eventNumbered, openCounted, rowOf } from './counted.ts';

// A separate program: commits hook events, says when each begins and is acknowledged, and stores days in between.

const COMMITS = 120;

const [folder = '', synchronous] = process.argv.slice(2);
const { store, hooks } = openCounted(folder, synchronous === 'NORMAL' ? 'NORMAL' : 'FULL');
await hooks.load();
for (let number = 1; number <= COMMITS; number += 1) {
  writeSync(1, `begun ${number}\n`);
  await hooks.commit(() => ({ events: [eventNumbered(number)], now: number }));
  writeSync(1, `acknowledged ${number}\n`);
  const days = [dayNumbered(number), dayNumbered(number + 1)];
  const rows = new Map(days.map((day) => [day, rowOf(day)]));
  await store.putDays('acme', 'tokens', { days, rows, orgId: 'org_1', at: number });
}
await store.close();
process.exit();
