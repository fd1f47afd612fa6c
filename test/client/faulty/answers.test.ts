import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { oneDay, ownerKey, readinessPath, yesterday } from '../../sandbox/asking.ts';
import { createFaultyAsked } from './asking.ts';

describe('answers in place of the right one', () => {
  test('bad-day affects every range that contains the day, and no other', async () => {
    const { analytics } = createFaultyAsked({ faults: ['bad-day=2026-11-10', 'bad-day=2026-11-02:404'] });
    const statusOf = async (startDate: string, endDate: string) =>
      (await analytics('tokens', { startDate, endDate })).status;
    expect(await statusOf('2026-11-10', '2026-11-10')).toBe(500);
    expect(await statusOf('2026-11-05', '2026-11-19')).toBe(500);
    expect(await statusOf('2026-11-01', '2026-11-03')).toBe(404);
    expect(await statusOf('2026-11-03', '2026-11-09')).toBe(200);
    expect(await statusOf('2026-11-11', '2026-11-19')).toBe(200);
  });

  test('oldest-day refuses what begins before it', async () => {
    const { analytics } = createFaultyAsked({ faults: ['oldest-day=2026-11-10'] });
    expect((await analytics('tokens', { startDate: '2026-11-09', endDate: '2026-11-19' })).status).toBe(400);
    expect((await analytics('tokens', { startDate: '2026-11-10', endDate: '2026-11-19' })).status).toBe(200);
  });

  test.each([
    ['html', 502],
    ['html=1:200', 200],
  ])('%s answers %i with a page', async (fault, status) => {
    const answer = await createFaultyAsked({ faults: [fault] }).analytics('tokens');
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toMatch(/^text\/html/);
    expect(answer.text).toMatch(/^<html>/);
  });

  test('empty-body answers 200 and nothing', async () => {
    const answer = await createFaultyAsked({ faults: ['empty-body'] })
      .analytics('tokens')
      .catch(String);
    expect(JSON.stringify(answer)).not.toContain('data');
  });

  test.each([
    ['error-body', /^\{"errors":\[\{"message":/],
    ['error-body=html', /^<html>/],
    ['error-body=empty', /^$/],
  ])('%s gives errors another body', async (fault, body) => {
    const answer = await createFaultyAsked({ faults: [fault] }).analytics('tokens', {});
    expect(answer.status).toBe(400);
    expect(answer.text ?? '').toMatch(body);
    expect((await createFaultyAsked({ faults: [fault] }).analytics('tokens')).status).toBe(200);
  });

  test('redirect sends the readiness listing to its other path, query included', async () => {
    const { get } = createFaultyAsked({ faults: ['redirect'] });
    const answer = await get(readinessPath, { limit: 2 });
    expect(answer.status).toBe(308);
    expect(answer.headers['location']).toBe('/api/organization/agent-readiness-reports?limit=2');
    const moved = await get(String(answer.headers['location']));
    expect(moved.body.reports).toHaveLength(2);
  });

  test.each([
    ['redirect-elsewhere', 'http://elsewhere.invalid/api/organization/agent-readiness-reports?limit=2'],
    [
      'redirect-elsewhere=http://127.0.0.1:9',
      'http://127.0.0.1:9/api/organization/agent-readiness-reports?limit=2',
    ],
  ])('%s sends it to another host', async (fault, location) => {
    const { get } = createFaultyAsked({ faults: [fault] });
    const answer = await get(readinessPath, { limit: 2 });
    expect([answer.status, answer.headers['location']]).toEqual([308, location]);
    expect((await get('/api/v0/wiki')).status).toBe(200);
  });
});

describe('faults of the wire', () => {
  const { sandbox } = createFaultyAsked();
  let url = '';
  beforeAll(async () => {
    ({ url } = await sandbox.listen({ host: '127.0.0.1', port: 0 }));
  });
  afterAll(() => sandbox.close());

  const path = `/api/v1/analytics/tokens?startDate=${oneDay.startDate}&endDate=${oneDay.endDate}`;

  /** The complete body, or the code of the error. */
  function fetched(): Promise<{ body: string; failed: string | undefined }> {
    return new Promise((resolve) => {
      const sent = httpRequest(
        url + path,
        { headers: { authorization: `Bearer ${ownerKey}` } },
        (response) => {
          let body = '';
          response.setEncoding('utf8');
          response.on('data', (piece: string) => {
            body += piece;
          });
          response.on('end', () => resolve({ body, failed: undefined }));
          response.on('error', (error: NodeJS.ErrnoException) => resolve({ body, failed: error.code }));
        },
      );
      sent.on('error', (error: NodeJS.ErrnoException) => resolve({ body: '', failed: error.code }));
      sent.end();
    });
  }

  test('close breaks the connection without an answer', async () => {
    sandbox.setFaults(['close']);
    expect(await fetched()).toEqual({ body: '', failed: 'ECONNRESET' });
    expect(sandbox.requests.at(-1)?.status).toBe(0);
  });

  test('cut-off breaks it in the middle of the body', async () => {
    sandbox.setFaults(['cut-off']);
    const { body, failed } = await fetched();
    expect(failed).toBe('ECONNRESET');
    expect(body).toMatch(/^\{"data":/);
    expect(() => JSON.parse(body)).toThrow();
  });

  test('malformed ends regularly and is not JSON', async () => {
    sandbox.setFaults(['malformed']);
    const { body, failed } = await fetched();
    expect(failed).toBeUndefined();
    expect(() => JSON.parse(body)).toThrow();
  });

  test('empty-body ends regularly and is empty', async () => {
    sandbox.setFaults(['empty-body']);
    expect(await fetched()).toEqual({ body: '', failed: undefined });
  });

  test('oversize makes a day larger, so that fewer days are smaller', async () => {
    sandbox.setFaults(['oversize=1000000']);
    const { body } = await fetched();
    expect(body.length).toBeGreaterThan(1_000_000);
    expect(body.length).toBeLessThan(1_100_000);
    expect(JSON.parse(body).data).toHaveLength(1);
  });
});

describe('answers that attack memory or time', () => {
  test('gzip-bomb is small and unpacks to as many bytes as it says', async () => {
    const { headers, text } = await createFaultyAsked({ faults: ['gzip-bomb=2097152'] }).analytics('tokens');
    expect(headers['content-encoding']).toBe('gzip');
    expect(Number(headers['content-length'] ?? 0)).toBeLessThan(10_000);
    expect(text).toHaveLength(2_097_152 + '{"data":[]}'.length);
  });

  test('deep-json and many-names are as deep and as many as they say', async () => {
    const deep = await createFaultyAsked({ faults: ['deep-json=100'] }).analytics('tokens');
    expect(deep.text).toContain(`${'['.repeat(100)}${']'.repeat(100)}`);
    const [row] = await createFaultyAsked({ faults: ['many-names=50'] }).rows('tools', yesterday, yesterday);
    const skills = row?.['skills_by_name'] as { name: string }[];
    expect(new Set(skills.map(({ name }) => name)).size).toBeGreaterThanOrEqual(50);
  });

  test('odd-keys are own members of the object', async () => {
    const { text } = await createFaultyAsked({ faults: ['odd-keys'] }).analytics('activity');
    expect(text).toContain('"__proto__":{"polluted":1');
  });

  test('endless-pages never names a report twice', async () => {
    const { reports } = createFaultyAsked({ faults: ['endless-pages'] });
    const seen = new Set<unknown>();
    let startAfter = '';
    for (let page = 0; page < 5; page++) {
      for (const { reportId } of await reports({ limit: 3, startAfter })) {
        expect(seen).not.toContain(reportId);
        seen.add(reportId);
        startAfter = String(reportId);
      }
    }
    expect(seen.size).toBe(15);
  });
});

test('the log of requests records what was requested, by whom, and the result', async () => {
  const { sandbox, analytics, get } = createFaultyAsked({ orgs: 2 });
  await analytics('tokens');
  await get('/api/v0/wiki', {}, 'nobody');
  expect(sandbox.requests).toEqual([
    { method: 'GET', path: '/api/v1/analytics/tokens', query: oneDay, status: 200, org: 'acme' },
    { method: 'GET', path: '/api/v0/wiki', query: {}, status: 401, org: undefined },
  ]);
});
