import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startStory } from './harness.ts';

const PREFIX = '/tools/exporter';

/** A proxy that serves a service below a path prefix, which the service knows nothing of; resolves with its own address. */
async function startProxy(service: string): Promise<string> {
  const proxy = createServer({ keepAliveTimeout: 0 }, (asked, response) => {
    if (asked.url?.startsWith(`${PREFIX}/`) !== true) {
      response.writeHead(404).end('outside of the prefix');
      return;
    }
    const { method, headers } = asked;
    request(service + asked.url.slice(PREFIX.length), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    }).end();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

function linksOf(type: string | null, text: string): readonly string[] {
  if (type?.startsWith('application/json') === true) {
    const { links } = JSON.parse(text) as { links: readonly { href: string }[] };
    return links.map(({ href }) => href);
  }
  if (type?.startsWith('text/html') !== true) return [];
  return [...text.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
}

test.each([2, 7])('every link leads to an answer behind a path prefix (%d organizations)', async (orgs) => {
  const story = await startStory({
    sandbox: { orgs, users: 6, repos: 2, days: 12 },
    keys: { acme: 'wrong' },
    flags: ['web.telemetry-path=/own/metrics'],
  });
  const { port } = new URL((await story.get('/')).url);
  const proxy = await startProxy(`http://127.0.0.1:${port}`);
  const answers = new Map<string, number>();
  const pending = [`${proxy}${PREFIX}/`];
  for (let url = pending.pop(); url !== undefined; url = pending.pop()) {
    if (answers.has(url)) continue;
    const response = await fetch(url);
    answers.set(url, response.status);
    for (const href of linksOf(response.headers.get('content-type'), await response.text())) {
      const to = new URL(href, url);
      to.hash = '';
      if (to.origin === proxy) pending.push(to.href);
    }
  }
  expect([...answers].filter(([, status]) => status !== 200)).toEqual([]);
  const paths = [...answers.keys()].map((url) => url.slice(proxy.length + PREFIX.length));
  expect(paths).toEqual(expect.arrayContaining(['/', '/own/metrics', '/status', '/-/ready']));
  expect(paths.filter((path) => path.startsWith('/?org='))).toHaveLength(orgs > 5 ? orgs : 0);
});
