import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { createAsked, noon, readinessPath } from './asking.ts';

const asked = createAsked();

describe('the readiness listing', () => {
  test('is newest first, never from the future, and a report has the fields of the API', async () => {
    const reports = await asked.reports();
    const times = reports.map((report) => Number(report['createdAt']));
    expect(times).toEqual([...times].sort((one, other) => other - one));
    expect(Math.max(...times)).toBeLessThanOrEqual(noon);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 14));
    for (const report of reports) {
      expect(report).toMatchObject({
        reportId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/),
        repoUrl: expect.any(String),
        apps: expect.any(Object),
        report: expect.any(Object),
      });
    }
    expect(new Set(reports.map((report) => report['reportId'])).size).toBe(reports.length);
  });

  test('without a limit lists everything', async () => {
    expect(await asked.reports({})).toEqual(await asked.reports({ limit: 100_000 }));
  });

  test.each([1, 7, 100])(
    'pages of %i reports, each starting after the previous one, are complete',
    async (limit) => {
      const all = await asked.reports();
      const paged: unknown[] = [];
      let startAfter: unknown;
      for (;;) {
        const page = await asked.reports({ limit, ...(startAfter === undefined ? {} : { startAfter }) });
        paged.push(...page);
        if (page.length < limit || paged.length > 60) break;
        startAfter = page.at(-1)?.['reportId'];
      }
      expect(paged).toEqual(all.slice(0, paged.length));
    },
  );

  test('a report that arrives in between does not shift the pages', async () => {
    const { clock, reports } = createAsked();
    const first = await reports({ limit: 5 });
    const whole = await reports({ limit: 10 });
    clock.now += 3 * 86_400_000;
    expect(await reports({ limit: 5 })).not.toEqual(first);
    expect(await reports({ limit: 5, startAfter: first.at(-1)?.['reportId'] })).toEqual(whole.slice(5));
  });

  test.each([
    'acme/web',
    'github.com/acme/web',
    'https://github.com/acme/web',
    'git@github.com:acme/web.git',
  ])('repoId=%s gives the reports of that repository alone', async (repoId) => {
    const reports = await asked.reports({ repoId, limit: 5 });
    expect(reports).toHaveLength(5);
    for (const report of reports) expect(report['repoUrl']).toMatch(/[:/]acme\/web(\.git)?$/);
  });

  test('an unknown repository has no reports', async () => {
    expect(await asked.reports({ repoId: 'acme/nothing' })).toEqual([]);
  });

  test.each([
    { limit: '0' },
    { limit: '-3' },
    { limit: '2.5' },
    { limit: 'many' },
    { limit: '' },
    { startAfter: 'no-report' },
    { startAfter: '00000000-0000-4000-8000-000000000000' },
  ])('%j is answered 400, in another format than that of analytics', async (query) => {
    const { status, body } = await asked.get(readinessPath, query);
    expect(status).toBe(400);
    expect(body).toEqual({ error: { message: expect.any(String) } });
  });

  test('every role may read it, but not without a key', async () => {
    for (const role of ['owner', 'manager', 'member', 'guest']) {
      expect((await asked.get(readinessPath, { limit: 1 }, `sandbox-acme-${role}`)).status).toBe(200);
    }
    const { status, body } = await request(asked.sandbox.handler).get(readinessPath);
    expect([status, body]).toEqual([401, { error: { message: expect.any(String) } }]);
  });

  test('an internal error is a 500', async () => {
    expect((await createAsked({ faults: ['500'] }).get(readinessPath)).status).toBe(500);
  });

  test('the newer path serves the same', async () => {
    const { body } = await asked.get('/api/organization/agent-readiness-reports', { limit: 3 });
    expect(body.reports).toEqual(await asked.reports({ limit: 3 }));
  });
});

describe('the wiki listing', () => {
  test('has the newest run of each repository that has a wiki', async () => {
    const { status, body } = await asked.get('/api/v0/wiki');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['wikiRuns']);
    expect(body.wikiRuns).toHaveLength(9);
    for (const run of body.wikiRuns) {
      expect(run).toMatchObject({ wikiRunId: expect.any(String), pageCount: expect.any(Number) });
      expect(run.createdAt).toBeLessThanOrEqual(noon);
      expect(run.createdAt).toBeGreaterThan(noon - 10 * 86_400_000);
    }
  });

  test.each([
    [401, [], 'sandbox-acme-nobody', ['detail', 'status', 'title']],
    [500, ['500'], 'sandbox-acme-owner', ['detail', 'metadata', 'status', 'title']],
  ])('%i has the body of the app host', async (status, faults, key, members) => {
    const answer = await createAsked({ faults }).get('/api/v0/wiki', {}, key);
    expect([answer.status, answer.body.status]).toEqual([status, status]);
    expect(Object.keys(answer.body).sort()).toEqual(members);
  });
});

describe('everything else', () => {
  test.each([
    '/',
    '/api/v1/analytics',
    '/api/v1/analytics/cost',
    '/api/v1/analytics/tokens/',
    '/api/v2/wiki',
  ])('%s is not there', async (path) => {
    expect((await asked.get(path)).status).toBe(404);
  });

  test.each(['post', 'put', 'patch', 'delete'] as const)('%s is not allowed', async (method) => {
    const answer = await request(asked.sandbox.handler)[method]('/api/v1/analytics/tokens');
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET']);
  });
});
