import { describe, expect, test } from 'vitest';
import { missingIn, withSeen } from '../../src/catalog/api-contract.ts';
import { addDays, type Day, daysBetween, daysFrom } from '../../src/catalog/day.ts';
import type { ApiRequest, RowsRequest, Source } from '../../src/catalog/source.ts';
import { FieldWatch } from '../../src/pipeline/field-watch.ts';
import { activity, productivity } from '../../src/platforms/copilot/organization.ts';
import { PlatformError } from '../../src/text/errors.ts';

type Json = Readonly<Record<string, unknown>>;

const NEWEST = '2026-11-19' as Day;
const FIRST = addDays(NEWEST, -34);
const FOUR_WEEKS = 'organization-28-day/latest';
const SEATS = 'billing';

const report = (day: string): Json => ({
  day,
  daily_active_users: Number(day.slice(-2)),
  loc_added_sum: 100 * Number(day.slice(-2)),
});

/** The last part of the path of a request, and the day that it is about. */
const nameOf = ({ path, query }: ApiRequest) =>
  `${path.split(/reports\/|copilot\//).at(-1)} ${query['day'] ?? ''}`.trim();

/** What GitHub has: reports until two days before the newest day, none of the day that nobody worked. */
function answerOf(request: ApiRequest, idle?: Day): readonly Json[] | undefined {
  const until = addDays(NEWEST, -2);
  if (nameOf(request) === FOUR_WEEKS) {
    const days = daysFrom(addDays(until, -27), until).filter((day) => day !== idle);
    return [{ report_start_day: addDays(until, -27), report_end_day: until, day_totals: days.map(report) }];
  }
  const { day = '' } = request.query;
  return day > until || day === idle ? undefined : [report(day)];
}

/** A GitHub that answers with the rows of a report, none for one that is not there yet, or an error. */
function copilotSource(rowsOf: (request: ApiRequest) => readonly Json[] | undefined | Error = answerOf) {
  const asked: string[] = [];
  let elapsed = 0;
  function rows(request: ApiRequest): readonly Json[] | undefined {
    asked.push(nameOf(request));
    const found = rowsOf(request);
    if (found instanceof Error) throw found;
    return found;
  }
  const source: Source = {
    place: {
      baseUrl: 'https://api.github.com',
      account: 'octo-org',
      shared: new Map(),
      elapsed: () => elapsed,
    },
    async get(request) {
      if (nameOf(request) === SEATS) {
        rows(request);
        return { body: { seat_breakdown: { total: 40 } }, bytes: 1 };
      }
      throw new Error('not used');
    },
    async lines<Sum>({ linksOf, start, add, ...request }: RowsRequest<Sum>) {
      const found = rows(request);
      if (found === undefined) return undefined;
      linksOf?.({ download_links: ['https://files.example/1'], report_day: request.query['day'] });
      const sum = start();
      for (const row of structuredClone(found)) add(sum, row);
      return { sums: [sum], bytes: 1 };
    },
    pages: () => Promise.reject(new Error('not used')),
    inSlices: () => Promise.reject(new Error('not used')),
  };
  return {
    source,
    asked,
    wait(ms: number) {
      elapsed += ms;
    },
  };
}

/** Asks for the days of a first sync as a run does: one by one, newest first. */
async function firstSync(source: Source) {
  const days = daysFrom(FIRST, NEWEST).toReversed();
  const found = new Map<Day, Json>();
  for (const day of days) {
    const { rows: people } = await activity.fetchDays(source, { from: day, to: day });
    const { rows: output } = await productivity.fetchDays(source, { from: day, to: day });
    if (people.has(day)) found.set(day, { ...people.get(day), ...output.get(day) });
  }
  return found;
}

/** The reports of single days. */
const single = (from: Day, to: Day) =>
  daysFrom(from, to)
    .toReversed()
    .map((day) => `organization-1-day ${day}`);

function expectWhole(found: ReadonlyMap<Day, Json>, idle?: Day): void {
  const expected = daysFrom(FIRST, addDays(NEWEST, -2)).filter((day) => day !== idle);
  expect([...found.keys()].sort()).toEqual(expected);
  for (const [day, { dailyUsers, linesAdded }] of found)
    expect([dailyUsers, linesAdded]).toEqual([Number(day.slice(-2)), 100 * Number(day.slice(-2))]);
}

describe('a first sync', () => {
  test('reads the days of four weeks that no longer change from one report, once for both datasets', async () => {
    const { source, asked } = copilotSource();
    expectWhole(await firstSync(source));
    expect(asked.filter((name) => name !== SEATS)).toEqual([
      ...single(addDays(NEWEST, -4), NEWEST),
      FOUR_WEEKS,
      // The report of four weeks ends with the newest report.
      ...single(FIRST, addDays(NEWEST, -30)),
    ]);
  });

  test('asks day by day for what the report of four weeks lacks', async () => {
    const idle = addDays(NEWEST, -11);
    const { source, asked } = copilotSource((request) => answerOf(request, idle));
    expectWhole(await firstSync(source), idle);
    expect(asked.filter((name) => name === FOUR_WEEKS)).toHaveLength(1);
    expect(asked).toContain(`organization-1-day ${idle}`);
  });

  test.each<readonly [string, readonly Json[] | Error]>([
    ['is refused', new PlatformError('server', 'Not Found', { status: 404 })],
    ['is too large', new PlatformError('limit', 'a line of more than 1048576 bytes', { status: 200 })],
    ['is of another shape', [{ days: [] }]],
    ['is empty', []],
  ])('asks day by day where the report of four weeks %s', async (_, answer) => {
    const { source, asked } = copilotSource((request) =>
      nameOf(request) === FOUR_WEEKS ? answer : answerOf(request),
    );
    expectWhole(await firstSync(source));
    expect(asked.filter((name) => name === FOUR_WEEKS)).toHaveLength(1);
    expect(asked.filter((name) => name.startsWith('organization-1-day'))).toEqual(single(FIRST, NEWEST));
  });
});

test('four weeks are read again when they are old, since they may have changed', async () => {
  const { source, asked, wait } = copilotSource();
  const day = addDays(NEWEST, -9);
  const ask = (of: Day) => activity.fetchDays(source, { from: of, to: of });
  await ask(NEWEST);
  await ask(day);
  await ask(day);
  wait(10 * 60_000);
  await ask(day);
  expect(asked.filter((name) => name !== SEATS)).toEqual([
    `organization-1-day ${NEWEST}`,
    FOUR_WEEKS,
    FOUR_WEEKS,
  ]);
});

describe('seats', () => {
  const newest = { from: addDays(NEWEST, -2), to: addDays(NEWEST, -2) };
  const failing = (error: Error) =>
    copilotSource((request) => (nameOf(request) === SEATS ? error : answerOf(request)));

  test('that are not answered in time cost only themselves', async () => {
    const { source } = failing(new PlatformError('timeout', 'GET /orgs/octo-org/copilot/billing: no answer'));
    const { rows, remarks } = await activity.fetchDays(source, newest);
    expect(rows.get(newest.to)).toMatchObject({ dailyUsers: 17, seats: undefined });
    expect(remarks).toEqual(['seats: GET /orgs/octo-org/copilot/billing: no answer']);
  });

  test.each([403, 404, 500])('that are refused with %i cost only themselves', async (status) => {
    const { source } = failing(Object.assign(new Error('no'), { status }));
    const { rows, remarks } = await activity.fetchDays(source, newest);
    expect(rows.get(newest.to)).toMatchObject({ dailyUsers: 17, seats: undefined });
    expect(remarks).toEqual(['seats: no']);
  });

  test('that were not asked for, because the client is closed, are no answer', async () => {
    const { source } = failing(new PlatformError('network', 'the client was closed'));
    await expect(activity.fetchDays(source, newest)).rejects.toThrow('the client was closed');
  });
});

describe('the fields of reports', () => {
  /** Watches the fields of reports with these fields beside those of each, on so many days. */
  async function watched(days: number, moreOf: (index: number) => Json) {
    const first = addDays(NEWEST, -2 - days);
    const watch = new FieldWatch();
    const { source } = copilotSource((request) => {
      const { day = '' } = request.query;
      const [row] = answerOf(request) ?? [];
      const index = daysBetween(first, day as Day);
      return row === undefined || nameOf(request) === FOUR_WEEKS ? undefined : [{ ...row, ...moreOf(index) }];
    });
    const compare = watch.compare.bind(watch);
    for (const day of daysFrom(first, addDays(NEWEST, -3)))
      await activity.fetchDays({ ...source, compare }, { from: day, to: day });
    return { unknown: watch.unknown(), missing: missingIn(withSeen({}, watch.seen())) };
  }

  test('are named if they are not known, also within sections', async () => {
    const more = { totals_by_robot: [], pull_requests: { total_created_by_copilot: 1, total_of_robots: 2 } };
    const { unknown } = await watched(1, () => more);
    expect(unknown).toEqual(['pull_requests.total_of_robots', 'totals_by_robot']);
  });

  test('are missing only if the organization had them on active days before', async () => {
    const had = { monthly_active_users: 9, totals_by_cli: { session_count: 1, prompt_count: 2 } };
    const { missing, unknown } = await watched(10, (index) => (index < 2 ? had : {}));
    // A surface that nobody uses any more is left out.
    expect([missing, unknown]).toEqual([['monthly_active_users'], []]);
    expect((await watched(10, () => ({}))).missing).toEqual([]);
    // A day on which nobody did anything says nothing.
    const idle = { daily_active_users: 0, loc_added_sum: 0 };
    expect((await watched(10, (index) => (index < 2 ? had : idle))).missing).toEqual([]);
  });
});
