import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'vitest';
import { addDays, type Day, daysFrom, startOf } from '../../src/catalog/day.ts';
import { MAX_SWEPT } from '../../src/store/retention.ts';
import { answer, contentOf, createDirectory, openHistory } from '../history/files.ts';
import { dayNamed } from '../support/day.ts';
import { below, drawn, type Random } from './random.ts';
import { tryAll } from './trial.ts';

const DAY = 86_400_000;
const FIRST = dayNamed('2026-01-01');
const ORGS = ['acme', 'globex'] as const;
const DATASETS = ['tokens', 'tools', 'activity'] as const;

type Opened = Awaited<ReturnType<typeof openHistory>>;

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
async function checkKnown(history: Opened): Promise<number> {
  let known = 0;
  for (const org of ORGS) {
    const read = await history.read(org);
    for (const dataset of DATASETS) {
      for (const [day, row] of read.days(dataset)) {
        if (row === undefined) continue;
        known += 1;
        if (JSON.stringify(row) !== JSON.stringify(rowOf(org, day)))
          throw new Error(`${org} ${day} has another figure`);
      }
    }
  }
  return known;
}

test('whatever happens to the file, before the start or while it is open, no figure is altered and no known one is lost', async () => {
  await tryAll({
    seeds: 260,
    secrets: [],
    isForeseen: () => false,
    async run(random) {
      const file = path.join(createDirectory(), 'history.db');
      const onDamage = drawn<'keep' | 'replace'>(['keep', 'replace'], random);
      const first = await openHistory(file, { onDamage });
      for (const org of ORGS)
        for (const dataset of DATASETS)
          await putDays(first, org, dataset, daysFrom(FIRST, addDays(FIRST, below(60, random))));
      await first.putRequests('acme', { day: FIRST, requests: 77 });
      await first.close();
      if (random() < 0.5) damage(file, random);
      let history = await openHistory(file, { onDamage });
      for (let step = 0; step < 6; step += 1) {
        await checkKnown(history);
        const known = await contentOf(history, ORGS, DATASETS);
        const next = drawn(['damage', 'damage', 'put', 'restart', 'sweep'], random);
        if (next === 'damage' && existsSync(file)) damage(file, random);
        if (next === 'put') {
          const day = addDays(FIRST, below(90, random));
          await putDays(
            history,
            drawn(ORGS, random),
            drawn(DATASETS, random),
            daysFrom(day, addDays(day, 2)),
          );
        }
        await history.sweep();
        await history.sweep();
        if (
          next !== 'put' &&
          JSON.stringify(await contentOf(history, ORGS, DATASETS)) !== JSON.stringify(known)
        )
          throw new Error(`${next} changed what is known`);
        if (onDamage === 'replace' && !history.isPersistent())
          throw new Error(`the file was not replaced: ${JSON.stringify(history.log.events.at(-1))}`);
        if (next !== 'restart') continue;
        const wasPersistent = history.isPersistent();
        await history.close();
        history = await openHistory(file, { onDamage });
        if (
          wasPersistent &&
          JSON.stringify(await contentOf(history, ORGS, DATASETS)) !== JSON.stringify(known)
        )
          throw new Error('a restart lost something');
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
      let history = await openHistory(file);
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
          history = await openHistory(file);
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
