import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import {
  type Answer,
  answers,
  createTestClient,
  failureOf,
  KEY,
  letTimePass,
  startServer,
  tokensRequest,
} from './platform-server.ts';

function everythingToldBy(error: Error): string {
  const deep = { depth: 20, showHidden: true, getters: true };
  return [inspect(error, deep), JSON.stringify(error), String(error), error.stack, String(error.cause)].join(
    '\n',
  );
}

const silence: Answer = () => undefined;
const echo = JSON.stringify({ title: 'Unauthorized', detail: `the key ${KEY} is not known` });

test.each([
  ['a refusal that quotes it', answers({ status: 401, body: echo })],
  ['a refusal that quotes part of it', answers({ status: 403, body: `bad key ${KEY.slice(0, 12)}***` })],
  ['a page that quotes it', answers({ body: `<title>no ${KEY}</title>` })],
  ['a throttling that quotes it', answers({ status: 429, headers: { 'retry-after': '900' }, body: echo })],
  ['a redirect that carries it', answers({ status: 302, headers: { location: `/x?key=${KEY}` } })],
  ['an answer that breaks off', ((_request, response) => response.destroy()) satisfies Answer],
  ['no answer', silence],
  ['too large an answer', answers({ body: KEY.repeat(100) })],
])('the key is in no error and no log after %s', async (_case, answer) => {
  const server = await startServer(answer);
  const timeoutMs = 60_000;
  const { client, log } = createTestClient(server.url, { retries: 1, timeoutMs, maxResponseBytes: 1_000 });
  const get = () => failureOf(client.get(tokensRequest({ cursor: 'jo@example.com' })));
  const error =
    answer === silence ? await letTimePass(server, timeoutMs, { heads: false }, get) : await get();
  expect(server.requests[0]?.headers.authorization).toContain(KEY);
  const told =
    everythingToldBy(error) +
    inspect(log.events, { depth: 20 }) +
    inspect(client, { depth: 20, showHidden: true });
  expect(told).not.toContain(KEY.slice(0, 8));
  expect(told).not.toContain('jo@example.com');
  expect(told).not.toMatch(/axios/i);
});

test('the key is in no error where nothing listens', async () => {
  const server = await startServer(answers({}));
  await server.close();
  const { client } = createTestClient(server.url, { retries: 0 });
  const error = await failureOf(client.get(tokensRequest()));
  expect(everythingToldBy(error)).not.toContain(KEY.slice(0, 8));
});
