import { describe, expect, test } from 'vitest';
import { addDays, type Day } from '../../src/catalog/day.ts';
import type { ApiRequest, RowsRequest, Source } from '../../src/catalog/source.ts';
import { activity } from '../../src/platforms/copilot/organization.ts';
import { PlatformError } from '../../src/text/errors.ts';

type Json = Readonly<Record<string, unknown>>;

const NEWEST = '2026-11-19' as Day;
const SEATS = 'billing';

const report = (day: string): Json => ({
  day,
  daily_active_users: Number(day.slice(-2)),
  loc_added_sum: 100 * Number(day.slice(-2)),
});

/** The last part of the path of a request, and the day that it is about. */
const nameOf = ({ path, query }: ApiRequest) =>
  `${path.split(/reports\/|copilot\//).at(-1)} ${query['day'] ?? ''}`.trim();

/** What GitHub has: reports until two days before the newest day. */
function answerOf({ query: { day = '' } }: ApiRequest): readonly Json[] | undefined {
  return day > addDays(NEWEST, -2) ? undefined : [report(day)];
}

/** A GitHub that answers with the rows of a report, none for one that is not there yet, or an error. */
function copilotSource(rowsOf: (request: ApiRequest) => readonly Json[] | undefined | Error = answerOf) {
  function rows(request: ApiRequest): readonly Json[] | undefined {
    const found = rowsOf(request);
    if (found instanceof Error) throw found;
    return found;
  }
  const source: Source = {
    place: {
      baseUrl: 'https://api.github.com',
      account: 'octo-org',
      shared: new Map(),
      elapsed: () => 0,
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
  return source;
}

describe('seats', () => {
  const newest = { from: addDays(NEWEST, -2), to: addDays(NEWEST, -2) };
  const failing = (error: Error) =>
    copilotSource((request) => (nameOf(request) === SEATS ? error : answerOf(request)));

  test('that are not answered in time cost only themselves', async () => {
    const source = failing(new PlatformError('timeout', 'GET /orgs/octo-org/copilot/billing: no answer'));
    const { rows, remarks } = await activity.fetchDays(source, newest);
    expect(rows.get(newest.to)).toMatchObject({ dailyUsers: 17, seats: undefined });
    expect(remarks).toEqual(['seats: GET /orgs/octo-org/copilot/billing: no answer']);
  });

  test('that were not asked for, because the client is closed, are no answer', async () => {
    const source = failing(new PlatformError('network', 'the client was closed'));
    await expect(activity.fetchDays(source, newest)).rejects.toThrow('the client was closed');
  });
});
