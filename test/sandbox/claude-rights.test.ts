import { describe, expect, test } from 'vitest';
import { claudeFaultKinds, createClaudeSandbox } from '../../src/sandbox/index.ts';
import { type Json, rowsOf } from './asking.ts';
import { admin, analytics, beta, createAsked, days, hour, noon, version, yesterday } from './claude-face.ts';

const money = days('2026-11-16', '2026-11-20', { 'group_by[]': 'model' });
const paths: Readonly<Record<string, readonly [string, Json]>> = {
  usage: ['analytics/usage', money],
  cost: ['analytics/cost', money],
  claude_code: ['usage_report/claude_code', { starting_at: yesterday }],
  summaries: ['analytics/summaries', { starting_date: yesterday }],
  users: ['analytics/users', { date: yesterday }],
  skills: ['analytics/skills', { date: yesterday }],
  connectors: ['analytics/connectors', { date: yesterday }],
};

async function statuses(from: ReturnType<typeof createAsked>, headers: Json): Promise<Json> {
  const found = Object.entries(paths).map(async ([name, [path, query]]) => {
    return [name, (await from.get(path, query, headers)).status] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

const all = (status: number) => Object.fromEntries(Object.keys(paths).map((name) => [name, status]));
const ofEnterprise = { summaries: 200, users: 200, skills: 200, connectors: 200 };

describe('a key may ask', () => {
  const asked = createAsked();

  test('of the Console: usage, cost, and Claude Code', async () => {
    const found = await statuses(asked, { 'x-api-key': admin });
    expect(found).toEqual({ ...all(403), usage: 200, cost: 200, claude_code: 200 });
  });

  test('of Enterprise: everything but Claude Code', async () => {
    const found = await statuses(asked, { 'x-api-key': analytics });
    expect(found).toEqual({ ...all(200), claude_code: 403 });
  });

  test.each<[string, Json]>([
    ['of the ordinary API', { 'x-api-key': 'sk-ant-api03-sandbox-acme' }],
    ['that nobody knows', { 'x-api-key': 'sk-ant-admin01-other' }],
    ['that is missing', { 'x-api-key': undefined }],
    ['that is a bearer token', { 'x-api-key': undefined, authorization: `Bearer ${admin}` }],
  ])('%s: nothing', async (_, headers) => {
    expect(await statuses(asked, headers)).toEqual(all(401));
  });

  test('and is told what it lacks', async () => {
    const { body, headers } = await asked.get('analytics/users', { date: yesterday });
    expect(body).toEqual({
      type: 'error',
      error: {
        type: 'permission_error',
        message: "Missing required scopes. Got: ['api:admin'] Needed: ['read:analytics']",
      },
      request_id: headers['request-id'],
    });
  });

  test('and sees the id of its own organization', async () => {
    const { orgs } = asked.sandbox;
    expect(orgs.map(({ name, kind }) => [name, kind])).toEqual([
      ['acme', 'console'],
      ['acme-enterprise', 'enterprise'],
    ]);
    for (const { keys, orgId } of orgs) {
      expect(orgId).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
      const headers = { 'x-api-key': keys['admin'] ?? keys['analytics'] };
      const answer = await asked.get('analytics/usage', money, headers);
      expect(answer.headers['anthropic-organization-id']).toBe(orgId);
    }
    expect(new Set(orgs.map(({ orgId }) => orgId)).size).toBe(2);
  });
});

describe('a request needs', () => {
  const { get } = createAsked();

  test.each<[string, Json]>([
    ['a version', { 'anthropic-version': undefined }],
    ['a version that exists', { 'anthropic-version': '2020-01-01' }],
  ])('%s', async (_, headers) => {
    expect(await statuses(createAsked(), headers)).toEqual(all(400));
  });

  test('for usage and cost, the name of the beta among those that it sends', async () => {
    const without = await statuses(createAsked(), { 'anthropic-beta': undefined, 'x-api-key': analytics });
    expect(without).toEqual({ ...ofEnterprise, usage: 404, cost: 404, claude_code: 403 });
    const { body } = await get('analytics/cost', money, { 'anthropic-beta': 'other' });
    expect(body.error.type).toBe('not_found_error');
    const several = { 'anthropic-beta': `other, ${beta['anthropic-beta']}` };
    expect((await get('analytics/cost', money, several)).status).toBe(200);
    expect((await get('analytics/cost', { ...money, beta: true })).status).toBe(200);
    expect((await get('analytics/cost', money, { 'anthropic-version': '2026-10-21' })).status).toBe(200);
  });

  test.each(['usage_report/messages', 'cost_report', 'analytics/cost_report', 'analytics/cost/', 'usage'])(
    'a path that is there, not %s',
    async (path) => {
      expect((await get(path, money)).status).toBe(404);
    },
  );
});

describe('a cursor', () => {
  const query = { ...money, limit: 4 };

  test('leads through all rows, each once', async () => {
    for (const [path, asked, key] of [
      ['analytics/cost', money, admin],
      ['usage_report/claude_code', { starting_at: yesterday }, admin],
      ['analytics/users', { date: yesterday }, analytics],
    ] as const) {
      const { get } = createAsked();
      const whole = await get(path, { ...asked, limit: 1000 }, { 'x-api-key': key });
      expect(whole.body.next_page).toBeNull();
      const rows: Json[] = [];
      let page: string | undefined;
      do {
        const { body } = await get(path, { ...asked, limit: 4, page }, { 'x-api-key': key });
        rows.push(...rowsOf(body, 'data'));
        if (key === admin) expect(body.has_more).toBe(body.next_page !== null);
        else expect(body).not.toHaveProperty('has_more');
        page = body.next_page ?? undefined;
      } while (page !== undefined);
      expect(rows).toEqual(whole.body.data);
    }
  });

  test.each<[string, string, Json, string]>([
    ['other parameters', 'analytics/cost', { ending_at: '2026-11-19T00:00:00Z' }, admin],
    ['another grouping', 'analytics/cost', { 'group_by[]': 'actor' }, admin],
    ['another endpoint', 'analytics/usage', {}, admin],
    ['another organization', 'analytics/cost', {}, analytics],
  ])('of %s is refused', async (_, path, change, key) => {
    const { get } = createAsked();
    const { next_page: page } = (await get('analytics/cost', query)).body;
    const { status, body } = await get(path, { ...query, ...change, page }, { 'x-api-key': key });
    expect([status, body.error.message]).toEqual([
      400,
      'page: cursor does not match current query parameters',
    ]);
    expect((await get('analytics/cost', { ...query, page: `${page}A` })).status).toBe(400);
    expect((await get('analytics/cost', { ...query, page: 'next' })).status).toBe(400);
  });

  test('is good for an hour', async () => {
    const { clock, get } = createAsked();
    const { next_page: page } = (await get('analytics/cost', query)).body;
    clock.now = noon + hour - 1;
    expect((await get('analytics/cost', { ...query, page })).status).toBe(200);
    clock.now += 1;
    const { status, body } = await get('analytics/cost', { ...query, page });
    expect([status, body.error.type]).toEqual([410, 'invalid_request_error']);
  });
});

describe('the pace', () => {
  test('of an organization is 60 requests a minute over all endpoints', async () => {
    const { clock, get } = createAsked({ pace: undefined });
    const [usage, code] = [paths['usage'], paths['claude_code']];
    for (let request = 0; request < 60; request += 1) {
      const [path, query] = (request % 2 === 0 ? usage : code) ?? ['', {}];
      clock.now += request === 30 ? 20_000 : 0;
      expect((await get(path, query)).status).toBe(200);
    }
    const { status, body, headers } = await get('analytics/cost', money);
    expect([status, body.error.type, headers['retry-after']]).toEqual([429, 'rate_limit_error', '40']);
    expect((await get('analytics/cost', money, { 'x-api-key': analytics })).status).toBe(200);
    clock.now += 40_000;
    expect((await get('analytics/cost', money)).status).toBe(200);
  });

  test('is unlimited if asked for', async () => {
    const { get } = createAsked();
    for (let request = 0; request < 61; request += 1)
      expect((await get('usage_report/claude_code', { starting_at: '2026-11-08' })).status).toBe(200);
  });
});

describe('faults', () => {
  test.each<[string, Json]>([
    ['500@usage', { ...all(200), usage: 500, claude_code: 403 }],
    ['404@cost@org=acme-enterprise', { ...all(200), cost: 404, claude_code: 403 }],
    ['401@org=acme', { ...all(200), claude_code: 403 }],
    ['429=1:7', all(429)],
    ['late=1', { ...all(400), usage: 200, cost: 200, claude_code: 403 }],
  ])('%s', async (fault, expected) => {
    expect(await statuses(createAsked({ faults: [fault] }), { 'x-api-key': analytics })).toEqual(expected);
  });

  test('say what a client has to know', async () => {
    const error = async (fault: string) => {
      const { body, headers } = await createAsked({ faults: [fault] }).get('analytics/cost', money);
      return { ...body.error, retryAfter: headers['retry-after'] };
    };
    expect(await error('429=1:7')).toMatchObject({ type: 'rate_limit_error', retryAfter: '7' });
    expect(await error('503=1:date')).toMatchObject({
      type: 'api_error',
      retryAfter: expect.stringContaining('GMT'),
    });
    expect(await error('529')).toMatchObject({ type: 'overloaded_error' });
    expect(await error('400')).toMatchObject({ message: expect.stringContaining(beta['anthropic-beta']) });
  });

  test('hide the newest days', async () => {
    const starts = async (faults: string[]) =>
      (await createAsked({ faults }).rows('analytics/cost', money)).map((row) => String(row['starting_at']));
    expect(await starts([])).toContain('2026-11-19T00:00:00Z');
    expect(await starts(['late=2'])).not.toContain('2026-11-19T00:00:00Z');
    expect(await starts(['late=2'])).toContain('2026-11-18T00:00:00Z');
  });

  test('are replaced while it runs', async () => {
    const { sandbox, get } = createAsked();
    sandbox.setFaults(['503@cost']);
    expect((await get('analytics/cost', money)).status).toBe(503);
    sandbox.setFaults([]);
    expect((await get('analytics/cost', money)).status).toBe(200);
    expect(() => sandbox.setFaults(['401@tokens'])).toThrow('neither an endpoint (usage, cost, claude_code');
    for (const { meaning } of claudeFaultKinds) expect(meaning).toMatch(/^[^\n]{10,120}$/);
  });
});

test('each organization has two accounts, which exist for as many days as asked for', async () => {
  const { sandbox, rows } = createAsked({ orgs: 2, days: 2 });
  expect(sandbox.orgs.map(({ name }) => name)).toEqual([
    'acme',
    'acme-enterprise',
    'globex',
    'globex-enterprise',
  ]);
  const globex = 'sk-ant-api01-sandbox-globex-enterprise';
  expect(new Set((await rows('analytics/cost', money, globex)).map((row) => row['starting_at']))).toEqual(
    new Set(['2026-11-18T00:00:00Z', '2026-11-19T00:00:00Z']),
  );
});

test('it listens and ends', async () => {
  const sandbox = createClaudeSandbox({ now: () => noon });
  const { url } = await sandbox.listen({ host: '127.0.0.1', port: 0 });
  const headers = { 'x-api-key': admin, ...version, connection: 'close' };
  const answer = await fetch(`${url}/v1/organizations/usage_report/claude_code?starting_at=${yesterday}`, {
    headers,
  });
  expect(await answer.json()).toMatchObject({ has_more: true });
  await sandbox.close();
});
