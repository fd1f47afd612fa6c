import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { PlatformClientDeps } from '../../src/client/client.ts';
import type { KnownPaths } from '../../src/client/paths.ts';
import { createTestClient, failureOf, KEY, startServer } from './platform-server.ts';

const OLD = '/api/organization/maturity-level-reports';
const NEW = '/api/organization/agent-readiness-reports';
const DAY = 86_400_000;

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
  return { routes, client, clock, asked, ask, said, answering: () => knownPaths.get('readiness')?.path };
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

  test('is asked by the first one again once a day, whatever that answers', async () => {
    const { routes, clock, ask, said, answering } = await startPlatform({ [NEW]: 200 });
    await ask();
    await clock.advance(DAY - 1);
    expect(await ask()).toEqual([NEW]);
    await clock.advance(1);
    expect([await ask(), await ask()]).toEqual([[OLD, NEW], [NEW]]);
    routes[OLD] = 403;
    await clock.advance(DAY);
    expect([await ask(), await ask(), answering()]).toEqual([[OLD, NEW], [NEW], NEW]);
    routes[OLD] = 200;
    await clock.advance(DAY);
    expect([await ask(), await ask(), answering()]).toEqual([[OLD], [OLD], OLD]);
    expect(said()).toEqual([
      [OLD, NEW],
      [NEW, OLD],
    ]);
  });

  test('remembers where a redirect leads, and asks there directly', async () => {
    const { routes, clock, ask, said, answering } = await startPlatform({
      [OLD]: '/v9/reports',
      '/v9/reports': 200,
    });
    expect([await ask(), await ask()]).toEqual([[OLD, '/v9/reports'], ['/v9/reports']]);
    expect([answering(), said()]).toEqual(['/v9/reports', [[OLD, '/v9/reports']]]);
    await clock.advance(DAY);
    expect([await ask(), await ask()]).toEqual([[OLD, '/v9/reports'], ['/v9/reports']]);
    Object.assign(routes, { [OLD]: 404, '/v9/reports': 404, [NEW]: 200 });
    expect([await ask(), await ask()]).toEqual([['/v9/reports', OLD, NEW], [NEW]]);
    expect(said()).toHaveLength(2);
  });

  test('below a base path, remembers a redirect within it, and follows any other each time', async () => {
    const within = await startPlatform({ [`/app${OLD}`]: `/app${NEW}`, [`/app${NEW}`]: 200 }, {}, '/app');
    expect([await within.ask(), await within.ask()]).toEqual([[`/app${OLD}`, `/app${NEW}`], [`/app${NEW}`]]);
    expect(within.answering()).toBe(NEW);
    const outside = await startPlatform({ [`/app${OLD}`]: NEW, [NEW]: 200 }, {}, '/app');
    expect([await outside.ask(), await outside.ask()]).toEqual([
      [`/app${OLD}`, NEW],
      [`/app${OLD}`, NEW],
    ]);
  });

  test.each([
    ['another query', `${NEW}?limit=7`],
    ['the key', `/${KEY}`],
    ['an address', '/someone@example.com'],
    ['a long path', `/${'x'.repeat(300)}`],
  ])('does not remember a redirect to %s', async (_, location) => {
    const { ask, said, answering } = await startPlatform({
      [OLD]: location,
      [location.split('?')[0] ?? '']: 200,
    });
    expect(await ask()).toHaveLength(2);
    expect(await ask()).toHaveLength(2);
    expect([answering(), said()]).toEqual([OLD, []]);
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
