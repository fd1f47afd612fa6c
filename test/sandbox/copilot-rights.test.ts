import { createServer } from 'node:http';
import { describe, expect, test } from 'vitest';
import { copilotFaultKinds } from '../../src/sandbox/index.ts';
import { billPath, createAsked, linesOf, linksOf, newest, reportsPath } from './copilot-face.ts';

const report = `${reportsPath}/organization-1-day?day=${newest}`;
const seats = '/orgs/acme-org/copilot/billing';
const paths = { organization: report, credits: billPath, seats };

function bearer(key: string) {
  return { authorization: `Bearer sandbox-acme-${key}` };
}

describe('a request is refused', () => {
  const { get } = createAsked({ orgs: 2 });
  test.each([
    ['without a User-Agent', report, { ...bearer('full'), 'user-agent': '' }, 403, 'User-Agent'],
    [
      'of an unknown version',
      report,
      { ...bearer('full'), 'x-github-api-version': '2020-01-01' },
      400,
      'version',
    ],
    ['without a token', report, {}, 401, 'Requires authentication'],
    ['with an unknown token', report, bearer('other'), 401, 'Bad credentials'],
    ['to an unknown path', '/orgs/acme-org/copilot/metrics', bearer('full'), 404, 'Not Found'],
    ['to a path with a slash at its end', `${seats}/`, bearer('full'), 404, 'Not Found'],
    ['about another organization', seats, { authorization: 'Bearer sandbox-globex-full' }, 404, 'Not Found'],
    [
      'about an enterprise that is none',
      '/enterprises/acme-org/copilot/billing/seats',
      bearer('classic'),
      404,
      'Not Found',
    ],
    [
      'about the seats of an enterprise in figures',
      '/enterprises/acme-inc/copilot/billing',
      bearer('classic'),
      404,
      'Not Found',
    ],
  ])('%s', async (_, path, headers, status, message) => {
    const { status: answered, body } = await get(path, {}, headers);
    expect([answered, body.status]).toEqual([status, String(status)]);
    expect(body.message).toContain(message);
    expect(body).toHaveProperty('documentation_url');
  });

  test('unless its path differs in case only, or it has a parameter that nobody knows', async () => {
    expect((await get(report.replace('acme-org', 'ACME-Org'))).status).toBe(200);
    expect((await get(report, { pretty: true })).status).toBe(200);
    expect((await get(report, {}, { ...bearer('full'), 'x-github-api-version': '2026-03-10' })).status).toBe(
      200,
    );
  });
});

describe('a key may use', () => {
  const { get } = createAsked();
  test.each([
    ['full', ['organization', 'credits', 'seats']],
    ['metrics', ['organization']],
    ['billing', ['credits', 'seats']],
    ['classic', ['organization', 'credits', 'seats']],
  ])('%s: %o', async (key, granted) => {
    for (const [name, path] of Object.entries(paths)) {
      const { status, headers, body } = await get(path, {}, bearer(key));
      expect([name, status]).toEqual([name, granted.includes(name) ? 200 : 403]);
      if (status === 200) continue;
      expect(body.message).toContain('Resource not accessible');
      expect(headers['x-accepted-github-permissions']).toContain('=read');
    }
  });

  test('classic only: enterprises', async () => {
    const path = '/enterprises/acme-inc/copilot/billing/seats';
    expect((await get(path, {}, bearer('classic'))).body.total_seats).toBe(40);
    expect((await get(path, {}, bearer('full'))).status).toBe(403);
  });
});

describe('faults', () => {
  async function answers(fault: string) {
    const { get } = createAsked({ faults: [fault] });
    const all = await Promise.all(
      Object.entries(paths).map(async ([name, path]) => [name, await get(path)] as const),
    );
    return new Map(all);
  }

  test.each([
    ['policy-off', { organization: 403, credits: 200, seats: 200 }],
    ['policy-off=404', { organization: 404, credits: 200, seats: 200 }],
    ['no-permission', { organization: 403, credits: 403, seats: 403 }],
    ['no-permission@credits', { organization: 200, credits: 403, seats: 200 }],
    ['no-sso', { organization: 403, credits: 403, seats: 403 }],
    ['rate-limit@seats', { organization: 200, credits: 200, seats: 403 }],
    ['500@organization@org=acme', { organization: 500, credits: 200, seats: 200 }],
    ['429=1:7', { organization: 429, credits: 429, seats: 429 }],
    ['401@org=globex', { organization: 200, credits: 200, seats: 200 }],
    ['late=1', { organization: 204, credits: 200, seats: 200 }],
  ])('%s', async (fault, statuses) => {
    const found = await answers(fault);
    expect(Object.fromEntries([...found].map(([name, { status }]) => [name, status]))).toEqual(statuses);
  });

  test('say what a client has to know', async () => {
    const [limited, unauthorized, policy, busy] = await Promise.all(
      ['rate-limit=1:30', 'no-sso', 'policy-off', '429=1:7'].map(async (fault) =>
        (await answers(fault)).get('organization'),
      ),
    );
    expect(limited?.headers).toMatchObject({
      'retry-after': '30',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Date.UTC(2026, 10, 20, 12) / 1000 + 30),
    });
    expect(unauthorized?.headers['x-github-sso']).toMatch(
      /^required; url=https:\/\/github\.com\/orgs\/acme-org\/sso\?/,
    );
    expect(policy?.headers).not.toHaveProperty('x-accepted-github-permissions');
    expect(busy?.headers).toMatchObject({ 'retry-after': '7' });
  });

  test('are replaced while it runs, and also concern the files', async () => {
    const { sandbox, get, file } = createAsked();
    const [link = ''] = linksOf((await get(report)).body);
    sandbox.setFaults(['503@files']);
    expect((await file(link)).status).toBe(503);
    expect((await get(report)).status).toBe(200);
    sandbox.setFaults([]);
    expect((await file(link)).status).toBe(200);
    expect(() => sandbox.setFaults(['401@tokens'])).toThrow(
      'neither an endpoint (organization, users, teams',
    );
    expect(() => sandbox.setFaults(['policy-on'])).toThrow('policy-off');
  });

  test('have a meaning that fits a line of help', () => {
    for (const { meaning } of copilotFaultKinds) expect(meaning).toMatch(/^[^\n]{10,120}$/);
  });
});

describe('a revised day', () => {
  test('has more of everything', async () => {
    const { sandbox, rows } = createAsked();
    const [before = {}] = await rows('organization-1-day', '2026-10-09');
    sandbox.reviseDay('2026-10-09');
    const [after = {}] = await rows('organization-1-day', '2026-10-09');
    expect(after['user_initiated_interaction_count']).toBeGreaterThan(
      Number(before['user_initiated_interaction_count']),
    );
    expect(() => sandbox.reviseDay('today')).toThrow('"today" is not a day.');
  });
});

describe('over the network', () => {
  test('the links lead to another port, and the rows of thousands of people come one after another', async () => {
    const { sandbox } = createAsked({ users: 2000 });
    const { url, filesUrl } = await sandbox.listen({ host: '127.0.0.1', port: 0 });
    try {
      const answer = await fetch(`${url}${reportsPath}/users-1-day?day=${newest}`, {
        headers: bearer('metrics'),
      });
      const links = linksOf(await answer.json());
      for (const link of links) expect(link.startsWith(`${filesUrl}/`)).toBe(true);
      expect(new URL(filesUrl).port).not.toBe(new URL(url).port);
      const parts = await Promise.all(
        links.map(async (link) => linesOf({ body: await (await fetch(link)).text() })),
      );
      expect(parts.flat().length).toBeGreaterThan(500);
      const next = await fetch(`${url}/orgs/acme-org/copilot/billing/seats`, { headers: bearer('billing') });
      expect(next.headers.get('link')).toContain(
        `<${url}/orgs/acme-org/copilot/billing/seats?per_page=50&page=2>`,
      );
      await next.body?.cancel();
    } finally {
      await sandbox.close();
    }
  });

  test('an address that is taken is refused, and nothing keeps listening', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    const { sandbox } = createAsked();
    await expect(sandbox.listen({ host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE');
    await expect(sandbox.listen({ host: '127.0.0.1', port: port - 1 })).rejects.toThrow('EADDRINUSE');
    await new Promise((resolve) => other.close(resolve));
  });
});
