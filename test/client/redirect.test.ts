import { describe, expect, test } from 'vitest';
import { answers, createTestClient, failureOf, KEY, startServer } from './platform-server.ts';

const reports = {
  endpoint: 'readiness',
  host: 'app',
  path: '/api/organization/maturity-level-reports',
  query: { limit: '100', startAfter: 'r1' },
} as const;

describe('a redirect', () => {
  test.each([307, 308])(
    '%i to another path of the same host is followed with key and query',
    async (status) => {
      const location = '/api/organization/agent-readiness-reports';
      const server = await startServer(
        answers({ status, headers: { location } }, { body: '{"reports":[]}' }),
      );
      const { client, codes } = createTestClient(server.url);
      expect((await client.get(reports)).body).toEqual({ reports: [] });
      expect(server.requests[1]?.url).toBe(`${location}?limit=100&startAfter=r1`);
      expect(server.requests[1]?.headers.authorization).toBe(`Bearer ${KEY}`);
      expect(codes).toEqual(['200']);
      client.close();
    },
  );

  test('is followed without the credentials and the fragment of its address', async () => {
    const server = await startServer((request, response, count) => {
      const location = `http://user:secret@${request.headers.host}/new#part`;
      if (count === 1) response.writeHead(307, { location });
      response.end('{}');
    });
    const { client } = createTestClient(server.url);
    await client.get({ ...reports, query: {} });
    const [, { url, headers } = { url: '', headers: {} }] = server.requests;
    expect([url, headers.authorization]).toEqual(['/new', `Bearer ${KEY}`]);
  });

  test('keeps a query of its own', async () => {
    const server = await startServer(answers({ status: 308, headers: { location: '/new?limit=7' } }, {}));
    const { client } = createTestClient(server.url);
    await client.get(reports);
    expect(server.requests[1]?.url).toBe('/new?limit=7');
  });

  test.each([307, 308, 301, 302])('%i to another host is not followed, and the key stays', async (status) => {
    const other = await startServer(answers({}));
    const location = `${other.url}/api/organization/maturity-level-reports`;
    const server = await startServer(answers({ status, headers: { location } }));
    const { client, codes } = createTestClient(server.url);
    const error = await failureOf(client.get(reports));
    expect(error).toMatchObject({ reason: 'server', status });
    expect(other.requests).toEqual([]);
    expect(codes).toEqual([String(status)]);
  });

  test.each([
    ['301 on the same host', 301, '/elsewhere', 'may change the request'],
    ['303 on the same host', 303, '/elsewhere', 'may change the request'],
    ['302 on the same host', 302, '/elsewhere', 'may change the request'],
    ['another port', 307, 'http://127.0.0.1:1/x', 'to another host'],
    ['a scheme of any length', 308, `${'x'.repeat(50)}://127.0.0.1/`, 'from http to xxxxxxxxxx,'],
    ['another scheme', 308, 'https://127.0.0.1/x', 'from http to https'],
    ['no address', 308, undefined, 'without a valid location'],
    ['an address that is none', 308, 'http://[', 'without a valid location'],
  ])('with %s is rejected in plain words', async (_case, status, location, words) => {
    const headers: Record<string, string> = location === undefined ? {} : { location };
    const server = await startServer(answers({ status, headers }));
    const { client } = createTestClient(server.url);
    const error = await failureOf(client.get(reports));
    expect(error.message).toContain(words);
    expect(server.requests).toHaveLength(1);
  });

  test('is followed three times at most', async () => {
    const server = await startServer((_request, response, count) => {
      response.writeHead(307, { location: `/hop-${count}` }).end();
    });
    const { client } = createTestClient(server.url);
    expect((await failureOf(client.get(reports))).message).toContain('too many redirects');
    expect(server.requests).toHaveLength(4);
  });

  test('of the third redirect is answered', async () => {
    const server = await startServer((_request, response, count) => {
      if (count < 4) response.writeHead(307, { location: `/hop-${count}` });
      response.end('{}');
    });
    const { client } = createTestClient(server.url);
    expect((await client.get(reports)).movedTo).toBe('/hop-3');
  });
});
