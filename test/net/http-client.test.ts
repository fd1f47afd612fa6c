import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createAgentPool } from '../../src/net/agents.ts';
import { sendByAxios } from '../../src/net/axios-transport.ts';
import { beginningOf, type HttpAnswer, HttpClient } from '../../src/net/http-client.ts';
import { waitFor } from '../support/wait-for.ts';

const generousMs = 300_000;

/** A server for one test; `open` is the number of its connections. */
async function startServer(answer: RequestListener) {
  const server = createServer({ keepAliveTimeout: 0 }, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  return { url: new URL(`http://127.0.0.1:${port}/`), open };
}

function byAxios(): HttpClient {
  const agents = createAgentPool({ keepAlive: true, maxSockets: 1, limitMs: generousMs });
  const client = new HttpClient({ agents, transport: sendByAxios });
  onTestFinished(() => client.close());
  return client;
}

const all = ({ stream }: HttpAnswer) => beginningOf(stream, 1_000);

describe.each([
  ["Node's own client", () => new HttpClient()],
  ['axios', byAxios],
])('by %s', (_name, create) => {
  test('a request has the headers and the bytes of its caller, and no other type', async () => {
    const { url } = await startServer((request, response) => {
      const { method, headers } = request;
      request.on('data', (body: Buffer) =>
        response.end(JSON.stringify({ method, headers, body: [...body] })),
      );
    });
    const body = Uint8Array.of(0, 1, 2, 3).subarray(1, 3);
    const headers = { 'Content-Type': 'a/b', 'Content-Length': '2' };
    const answer = await create().send({ method: 'POST', url, headers, body, timeoutMs: generousMs }, all);
    const sent = JSON.parse(answer);
    expect(sent).toMatchObject({ method: 'POST', body: [1, 2] });
    expect(sent.headers).toMatchObject({ 'content-type': 'a/b', 'content-length': '2' });
    expect(sent.headers).not.toHaveProperty('accept');
  });

  test('a redirect is an answer', async () => {
    const { url } = await startServer((_, response) => response.writeHead(302, { location: '/x' }).end());
    const read = async ({ status, header }: HttpAnswer) => [status, header('location'), header('x-none')];
    expect(await create().send({ url, timeoutMs: generousMs }, read)).toEqual([302, '/x', undefined]);
  });

  test.each([
    ['no answer', (() => undefined) satisfies RequestListener],
    ['an answer without an end', ((_, response) => response.write('x')) satisfies RequestListener],
  ])('%s is late, and its connection is closed', async (_case, answer) => {
    const { url, open } = await startServer(answer);
    const words = { end: 'late', code: 'ETIMEDOUT', message: 'no answer within 50 ms' };
    const trouble = { timeout: true, words: `no answer within the timeout (${url.host})` };
    await expect(create().send({ url, timeoutMs: 50 }, all)).rejects.toMatchObject({ ...words, trouble });
    await waitFor(async () => (await open()) === 0);
  });

  test('an answer that breaks off has failed', async () => {
    const { url } = await startServer((_, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('x', () => response.destroy());
    });
    const failed = { end: 'failed', code: 'ECONNRESET', trouble: { failedAt: 'connection' } };
    await expect(create().send({ url, timeoutMs: generousMs }, all)).rejects.toMatchObject(failed);
  });

  test('a request ends with its signal, even before it begins', async () => {
    const { url, open } = await startServer(() => ended.abort());
    const ended = new AbortController();
    const send = () => create().send({ url, timeoutMs: generousMs, signal: ended.signal }, all);
    await expect(send()).rejects.toMatchObject({ end: 'aborted' });
    await expect(send()).rejects.toMatchObject({ end: 'aborted' });
    await waitFor(async () => (await open()) === 0);
  });

  test('an answer that is not read to its end leaves no connection', async () => {
    const { url, open } = await startServer((_, response) => response.writeHead(200).write('x'));
    const status = await create().send({ url, timeoutMs: generousMs }, async (answer) => answer.status);
    expect(status).toBe(200);
    await waitFor(async () => (await open()) === 0);
  });
});
