import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'vitest';
import { addDays, type Day, daysFrom, startOf } from '../../src/catalog/day.ts';
import { MAX_SWEPT } from '../../src/store/retention.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { answer, createDirectory, openStore } from '../store/files.ts';
import { dayNamed } from '../support/day.ts';
import { below, drawn, type Random } from './random.ts';
import { tryAll } from './trial.ts';

const DAY = 86_400_000;
const FIRST = dayNamed('2026-01-01');
const ORGS = ['acme', 'globex'] as const;
const DATASETS = ['tokens', 'tools', 'activity'] as const;

type Opened = ReturnType<typeof openStore>;

function rowOf(org: string, day: Day) {
  return { org, text: day.repeat(30) };
}

async function putDays(
  history: Opened,
  org: string,
  dataset: (typeof DATASETS)[number],
  days: readonly Day[],
) {
  const rows = Object.fromEntries(days.map((day) => [day, rowOf(org, day)]));
  await history.putDays(org, dataset, answer(days, rows));
}

/** Damage to a file by a disk, a power failure or an editor. */
function damage(file: string, random: Random): void {
  const size = readFileSync(file).length;
  const at = below(size, random);
  const how = drawn(['flip', 'flip', 'zeros', 'noise', 'cut', 'empty', 'header', 'text', 'gone'], random);
  const bytes = readFileSync(file);
  if (how === 'cut') truncateSync(file, at);
  else if (how === 'empty') truncateSync(file, 0);
  else if (how === 'gone') rmSync(file);
  else if (how === 'text') writeFileSync(file, 'Dear diary,\n'.repeat(1 + below(3000, random)));
  else {
    const start = how === 'header' ? below(100, random) : at;
    const length = how === 'flip' || how === 'header' ? 1 : 1 + below(20_000, random);
    for (let index = start; index < Math.min(size, start + length); index += 1)
      bytes[index] = how === 'zeros' ? 0 : (bytes[index] ?? 0) ^ (1 + below(255, random));
    writeFileSync(file, bytes);
  }
}

/** Throws if a figure is known that was never stored. */
async function checkKnown(history: Opened): Promise<void> {
  for (const org of ORGS) {
    const read = await history.read(org);
    for (const dataset of DATASETS) {
      const days = read.days(dataset);
      for (const day of days.keys()) {
        if (!days.isFilled(day) || JSON.stringify(days.get(day)) === JSON.stringify(rowOf(org, day)))
          continue;
        throw new Error(`${org} ${day} has another figure`);
      }
    }
  }
}

/** Tries once more where the first attempt has found the damage. */
async function insist(work: () => Promise<unknown>): Promise<void> {
  await work().catch(work);
}

test('whatever happens to the file of the days, before the start or while it is open, no figure is altered, and it heals', async () => {
  await tryAll({
    seeds: 260,
    secrets: [],
    isForeseen: (error) => error instanceof ConfigError,
    async run(random) {
      const file = path.join(createDirectory(), 'history.db');
      const first = openStore(file);
      for (const org of ORGS)
        for (const dataset of DATASETS)
          await putDays(first, org, dataset, daysFrom(FIRST, addDays(FIRST, below(60, random))));
      await first.putRequests('acme', { day: FIRST, requests: 77 });
      await first.close();
      if (random() < 0.5) damage(file, random);
      let history = openStore(file);
      for (let step = 0; step < 6; step += 1) {
        await insist(() => checkKnown(history));
        const next = drawn(['damage', 'damage', 'put', 'restart', 'sweep'], random);
        if (next === 'damage' && existsSync(file)) damage(file, random);
        await history.sweep();
        if (next === 'put') {
          const day = addDays(FIRST, below(90, random));
          const days = daysFrom(day, addDays(day, 2));
          const [org, dataset] = [drawn(ORGS, random), drawn(DATASETS, random)];
          await insist(() => putDays(history, org, dataset, days));
          const known = (await history.read(org)).days(dataset);
          if (!days.every((one) => known.isFilled(one))) throw new Error('an answer is lost');
        }
        if (next !== 'restart') continue;
        await history.close();
        history = openStore(file);
      }
      const { requests } = (await history.requestsOf('acme')) ?? { requests: 0 };
      if (requests !== 77) throw new Error(`the count of requests is ${requests}`);
      await history.close();
      return '';
    },
  });
});

test('however the clock steps, retention removes nothing within it, and a bounded part per sweep', async () => {
  const retention = 40;
  await tryAll({
    seeds: 30,
    secrets: [],
    isForeseen: () => false,
    async run(random) {
      const file = path.join(createDirectory(), 'history.db');
      let history = openStore(file);
      let newest = addDays(FIRST, 600 + below(300, random));
      for (const org of ORGS) await putDays(history, org, 'tokens', daysFrom(FIRST, newest));
      let skew = 0;
      for (let sweeps = 0; sweeps < 25; sweeps += 1) {
        // Hours, months or years, forward or back; occasionally right again.
        if (random() < 0.4)
          skew = random() < 0.3 ? 0 : (random() - 0.4) * drawn([DAY, 60 * DAY, 3000 * DAY], random);
        if (random() < 0.3) {
          const days = daysFrom(addDays(newest, 1), addDays(newest, 1 + below(3, random)));
          newest = addDays(newest, days.length);
          for (const org of ORGS) await putDays(history, org, 'tokens', days);
        }
        if (random() < 0.1) {
          await history.close();
          history = openStore(file);
        }
        const before = await knownDays(history);
        const now = Math.max(0, startOf(newest) + (1.2 + random()) * DAY + skew);
        await history.sweep({ days: retention, now, orgs: ORGS });
        const after = await knownDays(history);
        if (before.size - after.size > MAX_SWEPT)
          throw new Error(`${before.size - after.size} went in one sweep`);
        for (const org of ORGS) {
          for (const day of daysFrom(addDays(newest, 1 - retention), newest))
            if (!after.has(`${org} ${day}`))
              throw new Error(`${org} ${day} is gone, ${newest} is the newest`);
        }
      }
      await history.close();
      return '';
    },
  });
});

/** All organizations and days with known tokens. */
async function knownDays(history: Opened): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (const org of ORGS)
    for (const day of (await history.read(org)).days('tokens').keys()) known.add(`${org} ${day}`);
  return known;
}
