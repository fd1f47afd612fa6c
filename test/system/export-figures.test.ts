import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStore } from '../../src/app/store.ts';
import { addDays } from '../../src/catalog/day.ts';
import { collectors as all } from '../../src/collectors/index.ts';
import { createJsonlFormat } from '../../src/export/tables.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { bring, filesIn, fileTarget, folder } from '../backfill/brought.ts';
import { HOUR, startStory, YESTERDAY } from '../e2e/harness.ts';
import { readPage } from '../e2e/page.ts';
import { exported } from '../export/fixtures.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

// The platform's list of wiki runs has no history.
const collectors = all.filter((collector) => !('past' in collector));
const DAYS = 300;
const TO = dayNamed(YESTERDAY);
const FROM = addDays(TO, 1 - DAYS);
const contract = {
  seats: 20,
  creditsPerMonth: 5e8,
  prices: [{ from: FROM, currency: 'USD', perMillionCredits: 2.7 }],
};
const readiness = { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: false } as const;

interface Row {
  readonly day: string;
  readonly organization: string;
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A row as a line of a page. */
function lineOf({ organization, metric, labels, value }: Row): string {
  const pairs = Object.entries({ org: organization, ...labels });
  const text = pairs.map(([name, of]) => `${name}="${of.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`);
  return `${metric}{${text.join(',')}} ${value}`;
}

/** What no export has: it describes the data of one moment. */
const ABOUT = /^agent_platform_(data_day_timestamp_seconds|history_uncovered|org_info)\b/;

test('an export of 300 days has, figure by figure, what /metrics shows and a backfill writes', async () => {
  const path = join(folder(), 'history.db');
  const story = await startStory({
    contract,
    sandbox: { days: DAYS + 60, users: 5, repos: 1 },
    collectors: collectors.map(({ name }) => name),
    flags: [`storage.path=${path}`, `history.start=${FROM}`],
  });
  const live = (await story.page()).platform().filter((line) => !ABOUT.test(line));
  const now = story.clock.now() + 4 * HOUR;
  await story.stop();

  const history = await readStore({
    ...{ path, url: undefined, orgs: ['acme'], collectors },
    clock: { ...createSystemClock(), elapsed: () => 0 },
    log: createFakeLogger(),
  });
  const orgs = [{ settings: { name: 'acme', readiness, contract }, history: await history.read('acme') }];
  const range = { orgs, collectors, from: FROM, to: TO, now };
  const { lines, outcome } = await exported({ ...range, format: createJsonlFormat('day') });
  const output = folder();
  const backfilled = await bring({ ...range, target: await fileTarget(join(output, 'all.om')) });
  await history.close();

  const rows = lines.filter((line) => line !== '').map((line): Row => JSON.parse(line));
  const byDay = Map.groupBy(rows, ({ day }) => day);
  const pageOf = (day: string) => readPage(`${(byDay.get(day) ?? []).map(lineOf).join('\n')}\n`).platform();
  expect(outcome.rows).toBe(rows.length);
  expect(pageOf(TO)).toEqual(live);

  // Users are known for the newest days only.
  expect(outcome.unknown).toEqual(backfilled.unknown);
  const stamped = (filesIn(output)['all.om'] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('agent_platform_'));
  const byStamp = Map.groupBy(
    stamped.filter((line) => !ABOUT.test(line)),
    (line) => line.slice(line.lastIndexOf(' ') + 1),
  );
  expect(byStamp.size).toBe(DAYS);
  expect(byDay.size).toBe(DAYS);
  for (const day of byDay.keys()) {
    const stamp = Date.parse(`${addDays(dayNamed(day), 1)}T12:00:00Z`) / 1000;
    const past = (byStamp.get(String(stamp)) ?? []).map((line) =>
      line.slice(0, line.lastIndexOf(' ')).replace(',job="agent-platform"', ''),
    );
    expect(pageOf(day)).toEqual(readPage(`${past.join('\n')}\n`).platform());
  }
});
