import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { PlatformClientDeps } from '../../src/platform/client.ts';
import type { KnownPaths } from '../../src/platform/paths.ts';
import { createTestClient, failureOf, startServer } from './platform-server.ts';

const OLD = '/api/organization/maturity-level-reports';
const NEW = '/api/organization/agent-readiness-reports';

const reports = {
  endpoint: 'readiness',
  host: 'app',
  path: OLD,
  otherPaths: [NEW],
  query: { limit: '100' },
} as const;

/** What a path answers: a status, or the location of a redirect. Other paths answer 404. */
type Routes = Record<string, number | string>;

async function startPlatform(routes: Routes, overrides: Partial<PlatformClientDeps> = {}, prefix = '') {
  const asked: string[] = [];
  const server = await startServer((request: IncomingMessage, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    asked.push(path);
    const answer = routes[path] ?? 404;
    const location = typeof answer === 'string' ? { location: answer } : {};
    const status = typeof answer === 'string' ? 308 : answer;
    response.writeHead(status, { 'content-type': 'application/json', ...location }).end('{"reports":[]}');
  });
  const knownPaths: KnownPaths = new Map();
  const { client, clock, log } = createTestClient(`${server.url}${prefix}`, {
    ...{ retries: 0, knownPaths },
    ...overrides,
  });

  /** Asks once, and returns the paths that were asked for it. */
  async function ask(): Promise<readonly string[]> {
    asked.length = 0;
    await client.get(reports);
    return [...asked];
  }
  const said = () =>
    log.events
      .filter(({ level }) => level === 'info')
      .map(({ fields }) => [fields['before'], fields['path']]);
  return { routes, client, clock, asked, ask, said, answering: () => knownPaths.get('readiness') };
}

describe('a resource with two known paths', () => {
  test('is asked by the first one, and nothing is said', async () => {
    const { ask, said, answering } = await startPlatform({ [OLD]: 200, [NEW]: 200 });
    expect(answering()).toBeUndefined();
    expect([await ask(), await ask()]).toEqual([[OLD], [OLD]]);
    expect([answering(), said()]).toEqual([OLD, []]);
  });

  test.each([404, 405, 410])('is asked by the other one after %i, said once, and back', async (status) => {
    const { routes, ask, said, answering } = await startPlatform({ [OLD]: status, [NEW]: 200 });
    expect([await ask(), await ask()]).toEqual([[OLD, NEW], [NEW]]);
    expect([answering(), said()]).toEqual([NEW, [[OLD, NEW]]]);
    Object.assign(routes, { [OLD]: 200, [NEW]: status });
    expect([await ask(), await ask()]).toEqual([[NEW, OLD], [OLD]]);
    expect([answering(), said()]).toEqual([
      OLD,
      [
        [OLD, NEW],
        [NEW, OLD],
      ],
    ]);
  });

  test('follows a redirect of the path that answers each time', async () => {
    const { ask, said, answering } = await startPlatform({ [OLD]: '/v9/reports', '/v9/reports': 200 });
    expect([await ask(), await ask()]).toEqual([
      [OLD, '/v9/reports'],
      [OLD, '/v9/reports'],
    ]);
    expect([answering(), said()]).toEqual([OLD, []]);
  });

  test('is asked by the other one where a redirect leads nowhere', async () => {
    const { ask, answering } = await startPlatform({ [OLD]: '/v9/reports', [NEW]: 200 });
    expect([await ask(), await ask()]).toEqual([[OLD, '/v9/reports', NEW], [NEW]]);
    expect(answering()).toBe(NEW);
  });

  test('is asked by a configured path only', async () => {
    const { ask, asked, client, said, answering } = await startPlatform(
      { [OLD]: 200, [NEW]: 200, '/reports': 200 },
      { paths: { readiness: '/reports' } },
    );
    expect([await ask(), answering(), said()]).toEqual([['/reports'], '/reports', []]);
    expect(asked).toEqual(['/reports']);
    client.close();
  });

  test.each([401, 403, 500])('fails after %i without asking the other one', async (status) => {
    const { client, asked, answering } = await startPlatform({ [OLD]: status, [NEW]: 200 });
    expect(await failureOf(client.get(reports))).toMatchObject({ status });
    expect([asked, answering()]).toEqual([[OLD], undefined]);
  });

  test('that has neither fails with the error of the first, and says what to do', async () => {
    const { client, asked } = await startPlatform({});
    expect(await failureOf(client.get(reports))).toMatchObject({
      reason: 'server',
      status: 404,
      message: expect.stringContaining(`GET ${OLD} answered 404`),
      hint: expect.stringMatching(/--api\.app-url.*--api\.readiness-path/),
    });
    expect(asked).toEqual([OLD, NEW]);
  });
});
