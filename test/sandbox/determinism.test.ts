import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createAsked, type Json, yesterday } from './asking.ts';

const asked = createAsked();
const endpoints = ['tokens', 'tools', 'activity', 'productivity'];

describe('the same day has the same figures', () => {
  test('in another sandbox with the same seed, but not with another', async () => {
    const twin = createAsked();
    const other = createAsked({ seed: 2 });
    for (const endpoint of [...endpoints, 'users']) {
      const rows = await asked.rows(endpoint, '2026-11-02', '2026-11-19');
      expect(await twin.rows(endpoint, '2026-11-02', '2026-11-19')).toEqual(rows);
      expect(await other.rows(endpoint, '2026-11-02', '2026-11-19')).not.toEqual(rows);
    }
    expect(await twin.reports()).toEqual(await asked.reports());
  });

  test('whatever window contains it', async () => {
    const whole = new Map<string, Map<unknown, Json>>();
    for (const endpoint of endpoints) {
      const rows = await asked.rows(endpoint, '2026-09-01', '2026-11-19');
      whole.set(endpoint, new Map(rows.map((row) => [row['date'], row])));
    }
    const window = fc.record({
      endpoint: fc.constantFrom(...endpoints),
      first: fc.integer({ min: 0, max: 79 }),
      length: fc.integer({ min: 1, max: 10 }),
    });
    await fc.assert(
      fc.asyncProperty(window, async ({ endpoint, first, length }) => {
        const start = day(first);
        const rows = await asked.rows(endpoint, start, day(Math.min(79, first + length)));
        for (const row of rows) expect(row).toEqual(whole.get(endpoint)?.get(row['date']));
      }),
      { numRuns: 25 },
    );
  });

  test('a week later, unless days are revised', async () => {
    const { clock, rows } = createAsked();
    const before = await rows('tokens', '2026-11-10', yesterday);
    clock.now += 7 * 86_400_000;
    expect(await rows('tokens', '2026-11-10', yesterday)).toEqual(before);
  });

  test('whatever the history is limited to', async () => {
    const short = createAsked({ days: 10 });
    expect(await short.rows('activity', '2026-01-14', yesterday)).toEqual(
      await asked.rows('activity', '2026-11-10', yesterday),
    );
    const oldest = Math.min(...(await short.reports()).map((report) => Number(report['createdAt'])));
    expect(oldest).toBeGreaterThanOrEqual(Date.UTC(2026, 10, 10));
  });
});

describe('organizations', () => {
  test('have names, ids, keys and figures of their own', async () => {
    const { sandbox, get } = createAsked({ orgs: 6 });
    expect(sandbox.orgs.map((org) => org.name)).toEqual([
      'acme',
      'globex',
      'initech',
      'umbrella',
      'hooli',
      'org-5',
    ]);
    const query = { startDate: yesterday, endDate: yesterday };
    const answers = await Promise.all(
      sandbox.orgs.map((org) => get('/api/v1/analytics/tokens', query, org.keys.manager)),
    );
    expect(new Set(answers.map((answer) => answer.body.meta.org_id)).size).toBe(6);
    expect(new Set(answers.map((answer) => answer.body.data[0].billable_tokens)).size).toBe(6);
  });
});

describe('a revised day', () => {
  test('has different figures everywhere, again with each revision, and does not affect other days', async () => {
    const { sandbox, rows } = createAsked();
    for (const endpoint of [...endpoints, 'users']) {
      const original = await rows(endpoint, '2026-11-17', '2026-11-19', { limit: 100 });
      sandbox.reviseDay('2026-11-18');
      const revised = await rows(endpoint, '2026-11-17', '2026-11-19', { limit: 100 });
      const others = (all: Json[]): Json[] => all.filter((row) => row['date'] !== '2026-11-18');
      const day = (all: Json[]): Json[] => all.filter((row) => row['date'] === '2026-11-18');
      expect(day(revised)).not.toEqual(day(original));
      if (endpoint !== 'activity') expect(others(revised)).toEqual(others(original));
    }
  });

  test('can be a day on which nothing had happened', async () => {
    const { sandbox, rows } = createAsked();
    const sunday = ['2026-11-08', '2026-11-08'] as const;
    expect(await rows('productivity', ...sunday)).toMatchObject([{ files_edited: 0 }]);
    sandbox.reviseDay('2026-11-08');
    expect(await rows('activity', ...sunday)).toMatchObject([{ daily_active_users: 1 }]);
    for (const endpoint of [...endpoints, 'users']) {
      const once = await rows(endpoint, ...sunday);
      sandbox.reviseDay('2026-11-08');
      expect(await rows(endpoint, ...sunday)).not.toEqual(once);
    }
  });

  test('must be a day', () => {
    expect(() => asked.sandbox.reviseDay('tomorrow')).toThrow('"tomorrow" is not a day.');
  });
});

describe('the pages of /users', () => {
  // All of them fit into one page of a hundred.
  const large = createAsked({ users: 90 });

  test('together are complete, whatever the limit and the window', async () => {
    const query = fc.record({
      limit: fc.integer({ min: 1, max: 100 }),
      days: fc.integer({ min: 0, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ limit, days }) => {
        const window = { startDate: day(79 - days), endDate: yesterday };
        const rows: Json[] = [];
        let cursor: string | undefined;
        do {
          const { body } = await large.analytics('users', { ...window, limit, ...(cursor && { cursor }) });
          const users = new Set(body.data.map((row: Json) => row['user_id']));
          expect(users.size).toBeLessThanOrEqual(limit);
          expect(body.data.length).toBeLessThanOrEqual(limit * (days + 1));
          expect(body.meta.has_more).toBe('next_cursor' in body.meta);
          rows.push(...body.data);
          cursor = body.meta.next_cursor;
        } while (cursor !== undefined);
        expect(rows).toEqual(await large.rows('users', window.startDate, yesterday, { limit: 100 }));
      }),
      { numRuns: 12, examples: [[{ limit: 30, days: 0 }], [{ limit: 3, days: 1 }]] },
    );
  });
});

/** Days counted from 2026-09-01; 79 is yesterday. */
function day(number: number): string {
  return new Date(Date.UTC(2026, 8, 1 + number)).toISOString().slice(0, 10);
}
