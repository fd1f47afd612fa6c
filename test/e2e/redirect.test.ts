import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startStory } from './harness.ts';

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
