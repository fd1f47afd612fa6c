import { describe, expect, test } from 'vitest';
import { isDayCollector } from '../../src/catalog/collector.ts';
import { addDays } from '../../src/catalog/day.ts';
import { UnexpectedAnswer } from '../../src/catalog/source.ts';
import { activityCollector } from '../../src/collectors/activity/collector.ts';
import { collectors } from '../../src/collectors/index.ts';
import { productivityCollector } from '../../src/collectors/productivity/collector.ts';
import { dayNamed } from '../support/day.ts';
import { fetchDays } from '../support/readers.ts';
import { analytics, createFakeSource, DAY, exposedDay, fetchRows } from './fakes.ts';

const window = { from: DAY, to: DAY };

/** The users collector is paged, and has its own tests. */
const inOneAnswer = collectors.filter(isDayCollector).filter(({ name }) => name !== 'users');

describe.each(inOneAnswer)('the $name collector', (collector) => {
  test('requests the window from its endpoint on the API host', async () => {
    const source = createFakeSource({ get: () => analytics() });
    await fetchDays(collector, source, { from: dayNamed('2026-03-01'), to: DAY });
    expect(source.requests).toEqual([
      {
        endpoint: collector.name,
        host: 'api',
        path: `/api/v1/analytics/${collector.name}`,
        query: { startDate: '2026-03-01', endDate: '2026-03-10' },
      },
    ]);
  });

  test.each([
    ['null', null],
    ['an array', []],
    ['a string', 'secret'],
    ['another object', { data: 'secret' }],
  ])('rejects an answer that is %s without repeating its content', async (kind, body) => {
    const fetched = fetchDays(collector, createFakeSource({ get: () => body }), window);
    await expect(fetched).rejects.toThrow(new UnexpectedAnswer('an object with an array data', body));
    await expect(fetched).rejects.toThrow(`expected an object with an array data, got ${kind}`);
  });

  test('accepts an answer without meta', async () => {
    const fetched = await fetchDays(collector, createFakeSource({ get: () => ({ data: [] }) }), window);
    expect(fetched).toMatchObject({ rejected: 0, orgId: undefined, remarks: [] });
  });

  test('drops and counts rows that are not objects, have no day, or have days that were not requested', async () => {
    const { rows, rejected } = await fetchRows(
      collector,
      [null, 7, [], {}, { date: '2026-02-30' }, { date: '2026-03-11' }, { date: DAY, by_model: [] }],
      window,
    );
    expect([...rows.keys()]).toEqual([DAY]);
    expect(rejected).toBe(6);
  });
});

describe('rows of the analytics endpoints', () => {
  test('may be null in places, and hold unknown fields', async () => {
    const row = {
      date: DAY,
      files_created: 3,
      files_edited: null,
      git_commits: '12',
      extra: {},
    };
    expect(await exposedDay(productivityCollector, row)).toEqual([
      'daily_files{action="created"} 3',
      'daily_git_commits 12',
    ]);
  });

  test.each(['T00:00:00Z', 'T25:00:00Z', ' 00:00:00', 'T00:00:00+09:00', 'Z', ' '])(
    'are of no day where their date goes on with %j',
    async (rest) => {
      const { rows, rejected, lost } = await fetchRows(productivityCollector, [
        { date: `${DAY}${rest}`, git_commits: 1 },
      ]);
      expect([rows.size, rejected, lost]).toEqual([0, 1, 1]);
    },
  );

  test('are all rejected where two of one day come that differ', async () => {
    const other = addDays(DAY, -1);
    const { rows, rejected, lost, remarks } = await fetchRows(productivityCollector, [
      { date: DAY, git_commits: 1 },
      { date: other, git_commits: 5 },
      { date: DAY, git_commits: 2 },
    ]);
    expect([[...rows.keys()], rejected, lost]).toEqual([[other], 2, 2]);
    expect(remarks).toEqual(['several different rows for one day; all of them were rejected']);
  });

  test('are one row where two of one day are identical, in whatever order their members come', async () => {
    const { rows, rejected, lost, remarks } = await fetchRows(productivityCollector, [
      { date: DAY, git_commits: 1, by_language: [{ language: 'Go', count: 2 }] },
      { by_language: [{ count: 2, language: 'Go' }], git_commits: 1, date: DAY },
    ]);
    expect(rows.get(DAY)).toEqual({ commits: 1, byLanguage: [{ name: 'Go', count: 2 }] });
    expect([rejected, lost, remarks]).toEqual([0, 0, []]);
  });

  test.each([addDays(DAY, 1), addDays(DAY, -4), '1970-01-01', '9999-12-31'])(
    'of %s, which was not asked for, make no day known to be without a row',
    async (date) => {
      const { rows, rejected, lost } = await fetchRows(productivityCollector, [
        { date, git_commits: 1 },
        { date: DAY, git_commits: 2 },
      ]);
      expect([[...rows.keys()], rejected, lost]).toEqual([[DAY], 1, 1]);
    },
  );

  test('say which of their parts were not usable', async () => {
    const { rows } = await fetchRows(productivityCollector, [
      { date: DAY, files_created: -1, by_language: [{ language: 'Go', count: 'x' }], git_commits: 2 },
    ]);
    expect(rows.get(DAY)?.rejected).toEqual({ created: 1, languages: 1 });
  });

  test('keep a figure of 2^53 and reject a larger one', async () => {
    const { rows, rejected } = await fetchRows(productivityCollector, [
      { date: DAY, git_commits: 2 ** 53, git_prs_created: 2 ** 53 + 2, files_created: String(2 ** 54) },
    ]);
    expect([rows.get(DAY)?.commits, rows.get(DAY)?.pullRequests, rejected]).toEqual([2 ** 53, undefined, 2]);
  });

  test.each([-1, '-1', 'many', '1e999', '', true, [], {}])(
    'lose a field that is %j, not their others',
    async (bad) => {
      const { rows, rejected } = await fetchRows(productivityCollector, [
        { date: DAY, files_created: 3, git_commits: bad, by_language: [{ language: 'Go', count: bad }] },
      ]);
      expect(rows.get(DAY)).toEqual({
        filesCreated: 3,
        byLanguage: [{ name: 'Go', count: null }],
        rejected: { commits: 1, languages: 1 },
      });
      expect(rejected).toBe(2);
    },
  );

  test('lose an element that is unusable, not its neighbours', async () => {
    const { rows, rejected } = await fetchRows(productivityCollector, [
      {
        date: DAY,
        by_extension: [null, { extension: 'ts', count: 2 }, { extension: 'go' }, { extension: 5, count: 1 }],
      },
    ]);
    expect(rows.get(DAY)?.byExtension).toEqual([
      { name: 'go', count: null },
      { name: 'other', count: null },
      { name: 'ts', count: 2 },
    ]);
    expect(rejected).toBe(3);
  });

  test('have the organization and the size of the answer', async () => {
    const body = analytics({ date: DAY });
    const fetched = await fetchDays(activityCollector, createFakeSource({ get: () => body }), window);
    expect(fetched).toMatchObject({ orgId: 'org_1', bytes: JSON.stringify(body).length });
  });

  test('are kept alike in whatever order a breakdown comes', async () => {
    const elements = [
      { language: 'Go', count: 1 },
      { language: 'C', count: 2 },
    ];
    const one = await fetchRows(productivityCollector, [{ date: DAY, by_language: elements }]);
    const other = await fetchRows(productivityCollector, [{ date: DAY, by_language: elements.toReversed() }]);
    expect(JSON.stringify([...one.rows])).toBe(JSON.stringify([...other.rows]));
  });
});

describe('productivity', () => {
  test('becomes files by action, operations by extension and language, commits and pull requests', async () => {
    const row = {
      date: DAY,
      files_created: 1,
      files_edited: 2,
      by_extension: [
        { extension: 'ts', count: 3 },
        { extension: '', count: 4 },
        { extension: 'ts', count: 5 },
      ],
      by_language: [
        { language: 'TypeScript', count: 8 },
        { language: null, count: 1 },
      ],
      git_commits: 6,
      git_prs_created: 7,
    };
    expect(await exposedDay(productivityCollector, row)).toEqual([
      'daily_files{action="created"} 1',
      'daily_files{action="edited"} 2',
      'daily_file_operations_by_extension{extension=""} 4',
      'daily_file_operations_by_extension{extension="ts"} 8',
      'daily_file_operations_by_language{language=""} 1',
      'daily_file_operations_by_language{language="TypeScript"} 8',
      'daily_git_commits 6',
      'daily_git_pull_requests_created 7',
    ]);
  });
});

describe('activity', () => {
  test('becomes people by day, week, month and client, sessions, and messages by role', async () => {
    const row = {
      date: DAY,
      daily_active_users: 5,
      weekly_active_users: 9,
      monthly_active_users: 12,
      daily_active_users_by_client: { web: 2, 'terminal-ui': 4 },
      sessions: 8,
      messages: 100,
      user_messages: 30,
    };
    expect(await exposedDay(activityCollector, row)).toEqual([
      'daily_active_users 5',
      'weekly_active_users 9',
      'monthly_active_users 12',
      'daily_active_users_by_client{client="terminal-ui"} 4',
      'daily_active_users_by_client{client="web"} 2',
      'daily_sessions 8',
      'daily_messages{role="user"} 30',
      'daily_messages{role="assistant"} 70',
    ]);
  });

  test.each([
    ['without messages', { user_messages: 3 }, ['daily_messages{role="user"} 3']],
    ['without user messages', { messages: 3 }, []],
    [
      'with fewer messages than user messages',
      { messages: 2, user_messages: 3 },
      ['daily_messages{role="user"} 3'],
    ],
  ])('%s does not guess what the agent wrote', async (_, messages, lines) => {
    expect(await exposedDay(activityCollector, { date: DAY, ...messages })).toEqual(lines);
  });

  test('accepts client names that are special members of objects', async () => {
    const clients = JSON.parse('{"__proto__": 1, "constructor": 2, "web": -1, "toString": null}');
    const row = { date: DAY, daily_active_users_by_client: clients };
    expect(await exposedDay(activityCollector, row)).toEqual([
      'daily_active_users_by_client{client="__proto__"} 1',
      'daily_active_users_by_client{client="constructor"} 2',
      'daily_active_users_by_client{client="web"} NaN',
    ]);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  test('rejects a member by client that is not a number, and a breakdown that is not an object', async () => {
    const { rejected } = await fetchRows(activityCollector, [
      { date: DAY, daily_active_users_by_client: { web: -1, 'terminal-ui': 2 } },
      { date: dayNamed('2026-03-09'), daily_active_users_by_client: [1] },
    ]);
    expect(rejected).toBe(2);
  });
});
