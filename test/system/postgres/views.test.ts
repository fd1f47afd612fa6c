import { describe, expect, test } from 'vitest';
import { answer, listing } from '../../store/files.ts';
import { dayNamed } from '../../support/day.ts';
import { usePostgres } from './server.ts';
import { openOpened } from './shared.ts';

const server = usePostgres();
const monday = dayNamed('2026-03-02');
const tuesday = dayNamed('2026-03-03');

/** The columns of each view, as documented. */
const VIEWS = {
  active_people_by_client: ['org', 'day', 'client', 'people'],
  credits_by_day: ['org', 'day', 'credits'],
  credits_by_model: ['org', 'day', 'model', 'tier', 'credits', 'input_tokens', 'output_tokens'],
  readiness_reports: ['org', 'repo', 'branch', 'commit', 'created_at', 'ratio', 'is_newest_of_branch'],
  team_figures: ['org', 'day', 'team', 'active_people', 'credits', 'tool_calls', 'commits', 'pull_requests'],
};

describe('the views', () => {
  test('have the documented columns', async () => {
    const url = await server.database();
    await openOpened(url);
    const columns = await server.query(
      url,
      `SELECT table_name AS view, array_agg(column_name::text ORDER BY ordinal_position) AS columns
       FROM information_schema.columns JOIN information_schema.views USING (table_schema, table_name)
       WHERE table_schema = 'agent_platform' GROUP BY table_name`,
    );
    expect(Object.fromEntries(columns.map(({ view, columns }) => [view, columns]))).toEqual(VIEWS);
  });

  test('show what is stored to a user who may read nothing else, and nobody who must not be shown', async () => {
    const url = await server.database();
    const history = await openOpened(url);
    const tokens = {
      credits: 12.5,
      byModel: [
        { model: 'm-1', credits: 10, input: 7 },
        { model: 'm-2', tier: 'core', credits: 2.5 },
      ],
    };
    await history.putDays('acme', 'tokens', answer([monday, tuesday], { [monday]: tokens }, 1, 'org_1'));
    await history.putDays(
      'acme',
      'activity',
      answer([monday], { [monday]: { byClient: [{ name: 'cli', count: 3 }] } }),
    );
    const people = { ids: ['ann@example.com'] };
    const team = { team: 'core', active: 5, credits: 9, toolCalls: 4, commits: 3, pullRequests: 2 };
    await history.putDays('acme', 'users', answer([monday], { [monday]: { byTeam: [team], people } }));
    const criteria = [
      { id: 'a', skipped: false, passed: 1, evaluated: 2 },
      { id: 'b', skipped: false, passed: 1, evaluated: 1 },
      { id: 'c', skipped: true },
    ];
    const report = {
      repo: 'example.com/acme/app',
      branch: 'main',
      commit: 'c1',
      createdAt: 1_772_409_600_000,
      criteria,
    };
    await history.putDocuments(
      'acme',
      'readiness',
      listing({ one: report, two: { ...report, createdAt: 1, criteria: [] } }),
    );
    await server.query(
      url,
      `CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA agent_platform TO reader;
       GRANT SELECT ON ${Object.keys(VIEWS)
         .map((view) => `agent_platform.${view}`)
         .join()} TO reader`,
    );
    const reader = server.urlFor(url, 'reader', '');
    const read = async (view: string) => {
      const rows = await server.query(reader, `SELECT * FROM agent_platform.${view} ORDER BY 1, 2, 3`);
      return rows.map((row) => Object.values(row).map((value) => (value instanceof Date ? 'a time' : value)));
    };
    expect(await read('credits_by_day')).toEqual([['acme', 'a time', '12.5']]);
    expect(await read('credits_by_model')).toEqual([
      ['acme', 'a time', 'm-1', 'unknown', '10', '7', null],
      ['acme', 'a time', 'm-2', 'core', '2.5', null, null],
    ]);
    expect(await read('active_people_by_client')).toEqual([['acme', 'a time', 'cli', '3']]);
    expect(await read('team_figures')).toEqual([['acme', 'a time', 'core', '5', '9', '4', '3', '2']]);
    expect((await read('readiness_reports')).map((row) => [row[1], Number(row[5]), row[6]])).toEqual([
      ['example.com/acme/app', 0.75, true],
      ['example.com/acme/app', 0, false],
    ]);
    await expect(server.query(reader, 'SELECT * FROM agent_platform.day')).rejects.toThrow(
      'permission denied',
    );
    // A former organization of the name is not shown.
    await history.adopt('acme', 'org_2');
    expect(await read('credits_by_model')).toEqual([]);
  });
});
