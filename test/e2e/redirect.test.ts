import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DAY, type Story, startStory } from './harness.ts';

async function startStranger(): Promise<{ url: string; seen: IncomingHttpHeaders[] }> {
  const seen: IncomingHttpHeaders[] = [];
  const server = http.createServer({ keepAliveTimeout: 0 }, (request, response) => {
    seen.push(request.headers);
    response.end('{"reports":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen };
}

test('a redirect to another host is not followed, so that the key is not sent there', async () => {
  const stranger = await startStranger();
  const story = await startStory({ collectors: ['readiness', 'wiki'] });
  const before = await story.page();
  story.platform.setFaults([`redirect-elsewhere=${stranger.url}`]);
  expect(await story.poll()).toEqual(['acme/readiness']);
  expect(stranger.seen).toEqual([]);
  const page = await story.page();
  expect(page.platform()).toEqual(before.platform());
  expect(
    page.value('agent_platform_exporter_collector_failing', { collector: 'readiness', reason: 'server' }),
  ).toBe(1);
  expect(story.logged('Collector failing', 'redirect', 'readiness')).toHaveLength(1);
});

test('a redirect on the same host is followed with the whole request', async () => {
  const story = await startStory({ sandbox: { faults: ['redirect'] }, collectors: ['readiness'] });
  const followed = story.platform.requests.filter(({ path }) => path.endsWith('/agent-readiness-reports'));
  expect(followed.length).toBeGreaterThan(1);
  expect(followed.every(({ org, status }) => org === 'acme' && status === 200)).toBe(true);
  expect(followed.at(-1)?.query['startAfter']).toBeDefined();
});

const OLD = '/api/organization/maturity-level-reports';
const NEW = '/api/organization/agent-readiness-reports';
const SAID = 'Another path of the platform answers';

/** The paths of the requests that `act` causes, and whether each was answered with 200. */
async function requestsOf(story: Story, act: () => Promise<unknown>) {
  const before = story.platform.requests.length;
  await act();
  return story.platform.requests.slice(before).map(({ path, status }) => `${status} ${path}`);
}

/** The path that `/status` names. */
async function shownPath(story: Story): Promise<unknown> {
  const status = (await (await story.get('/status')).json()) as {
    orgs: { collectors: { name: string; path?: string }[] }[];
  };
  return status.orgs[0]?.collectors.find(({ name }) => name === 'readiness')?.path;
}

describe('a platform whose readiness listing has moved', () => {
  test.each([404, 405, 410])(
    'is asked by the other path after %i, and shown with all pages',
    async (status) => {
      const usual = await startStory({ collectors: ['readiness'] });
      const story = await startStory({ sandbox: { faults: [`moved=${status}`] }, collectors: ['readiness'] });
      expect((await story.page()).platform()).toEqual((await usual.page()).platform());
      expect(story.platform.requests.filter(({ path }) => path === OLD)).toHaveLength(1);
      expect(story.platform.requests.at(-1)).toMatchObject({ path: NEW, status: 200 });
      expect(await shownPath(story)).toBe(NEW);
      expect(await shownPath(usual)).toBe(OLD);
      expect([usual.logged(SAID), story.logged(SAID)]).toEqual([
        [],
        [expect.stringContaining(`path=${NEW}`)],
      ]);
    },
  );

  test('is asked by the first path once a day, and by it alone once it answers', async () => {
    const story = await startStory({ sandbox: { faults: ['moved'] }, collectors: ['readiness'] });
    expect(await requestsOf(story, () => story.poll())).not.toContain(`404 ${OLD}`);
    story.clock.advance(DAY);
    const asked = await requestsOf(story, () => story.poll());
    expect(asked.filter((request) => request === `404 ${OLD}`)).toHaveLength(1);
    expect(story.logged(SAID)).toHaveLength(1);
    story.platform.setFaults([]);
    story.clock.advance(DAY);
    const back = await requestsOf(story, () => story.poll());
    expect(new Set(back)).toEqual(new Set([`200 ${OLD}`]));
    expect(story.logged(SAID, `path=${OLD}`)).toHaveLength(1);
  });

  test('is asked by a configured path only, which a reload changes', async () => {
    const story = await startStory({
      collectors: ['readiness'],
      flags: ['api.readiness-path=/api/reports'],
    });
    expect(new Set(story.platform.requests.map(({ path }) => path))).toEqual(new Set(['/api/reports']));
    expect(story.logged('Collector failing', '--api.readiness-path')).toHaveLength(1);
    await story.reload((config) => ({ ...config, api: { ...config.api, readinessPath: NEW } }));
    expect(story.logged(SAID)).toEqual([]);
    expect(await story.poll()).toEqual([]);
    expect(await shownPath(story)).toBe(NEW);
  });
});
