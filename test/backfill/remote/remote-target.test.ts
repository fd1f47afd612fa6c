import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readAcknowledged } from '../../../src/backfill/remote/acknowledged.ts';
import { createPost } from '../../../src/backfill/remote/post.ts';
import { RemoteTarget } from '../../../src/backfill/remote/remote-target.ts';
import { createStateFile } from '../../../src/backfill/state-file.ts';
import type { ProxySettings } from '../../../src/net/proxy.ts';
import { type Clock, createSystemClock } from '../../../src/work/clock.ts';
import { dayNamed } from '../../support/day.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createFakeLogger } from '../../support/fake-logger.ts';
import { startProxy } from '../../support/proxy.ts';
import { waitFor } from '../../support/wait-for.ts';
import { issue } from '../../web-config/certificate.ts';
import { bring, folder } from '../brought.ts';
import { daily, documents, orgWith } from '../days.ts';
import { decodeWriteRequest, decompressSnappy } from './decode.ts';

const from = dayNamed('2026-03-01');
const to = dayNamed('2026-03-10');
const now = Date.parse('2026-06-01T00:00:00Z');
const org = orgWith(
  from,
  Array.from({ length: 10 }, (_, index) => ({ credits: index, models: { a: index } })),
);

interface Seen {
  readonly request: IncomingMessage;
  readonly body: Buffer;
}

async function receiver(answer: (seen: Seen, response: ServerResponse) => void) {
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer({ request, body: Buffer.concat(chunks) }, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/write`;
}

function postTo(url: string, proxy?: ProxySettings, timeoutMs = 5000, ca?: () => Promise<string>) {
  const post = createPost({
    url,
    proxy,
    ...(ca && { ca }),
    headers: async () => ({ Authorization: 'Bearer token', 'X-Scope-OrgID': 'tenant' }),
    timeoutMs,
    concurrency: 2,
    version: '1.2.3',
    retryAfter: (header) => (header === undefined ? undefined : Number(header) * 1000),
  });
  onTestFinished(() => post.close());
  return post;
}

async function remoteTarget(
  url: string,
  state: string,
  batchSamples = 7,
  clock: Clock = createFakeClock(0, { autoAdvance: true }),
) {
  const acknowledged = await readAcknowledged(createStateFile(state), url);
  return new RemoteTarget({
    post: postTo(url),
    labels: { job: 'agent-platform' },
    concurrency: 2,
    batchSamples,
    acknowledged,
    clock,
    random: () => 0,
    log: createFakeLogger(),
  });
}

function samplesIn(body: Buffer): readonly string[] {
  return decodeWriteRequest(decompressSnappy(body)).flatMap(({ labels, samples }) =>
    samples.map(({ value, timestamp }) => JSON.stringify([labels, value, timestamp])),
  );
}

describe('a write request', () => {
  test('has its format, its sender and the tenant in headers', async () => {
    let seen: Seen | undefined;
    const url = await receiver((request, response) => {
      seen = request;
      response.writeHead(429, { 'Retry-After': '7' }).end('slow down\n');
    });
    const body = Buffer.from('body');
    const answer = await postTo(url)(body, new AbortController().signal);
    expect(answer).toEqual({ status: 429, text: 'slow down\n', retryAfterMs: 7000 });
    expect(seen?.body).toEqual(body);
    expect([seen?.request.method, seen?.request.url]).toEqual(['POST', '/api/v1/write']);
    expect(seen?.request.headers).toMatchObject({
      authorization: 'Bearer token',
      'x-scope-orgid': 'tenant',
      'content-encoding': 'snappy',
      'content-type': 'application/x-protobuf',
      'user-agent': 'agent-platform-exporter/1.2.3',
      'x-prometheus-remote-write-version': '0.1.0',
    });
  });

  test.each(['directly', 'through a proxy'])('trusts the authorities of the moment, %s', async (how) => {
    const { certificate, key } = issue({ name: 'target', dns: ['localhost', 'mimir.test'] });
    const server = createSecureServer({ cert: certificate, key }, (_, response) => response.end('taken'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as AddressInfo;
    const proxy = how === 'directly' ? undefined : await startProxy({ port });
    let trusted = issue({ name: 'another' }).certificate;
    const post = postTo(
      proxy === undefined ? `https://localhost:${port}/` : 'https://mimir.test/',
      proxy && { HTTPS_PROXY: proxy.url },
      5000,
      async () => trusted,
    );
    const send = () => post(Buffer.from('body'), new AbortController().signal);
    await expect(send()).rejects.toThrow('DEPTH_ZERO_SELF_SIGNED_CERT');
    trusted = certificate;
    expect(await send()).toMatchObject({ status: 200, text: 'taken' });
    trusted = issue({ name: 'another' }).certificate;
    await expect(send()).rejects.toThrow('DEPTH_ZERO_SELF_SIGNED_CERT');
  });

  test('is not redirected, and ends with its signal', async () => {
    const url = await receiver(({ request }, response) => {
      if (request.headers['content-length'] === '1')
        response.writeHead(302, { Location: '/elsewhere' }).end();
    });
    const post = postTo(url);
    expect(await post(Buffer.from('1'), new AbortController().signal)).toMatchObject({ status: 302 });
    const stop = new AbortController();
    const hanging = post(Buffer.from('22'), stop.signal);
    stop.abort();
    await expect(hanging).rejects.toThrow();
  });

  test('ends with its signal, or in time, also while it waits for its connection', async () => {
    const url = await receiver(() => undefined);
    const [stop, never] = [new AbortController(), new AbortController().signal];
    const stopped = postTo(url);
    const aborted = [1, 2, 3].map(() => stopped(Buffer.from('1'), stop.signal));
    stop.abort();
    for (const { status } of await Promise.allSettled(aborted)) expect(status).toBe('rejected');
    const overdue = postTo(url, undefined, 50);
    const late = [1, 2, 3].map(() => overdue(Buffer.from('1'), never));
    for (const outcome of await Promise.allSettled(late)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'timeout' } });
    }
  });

  test.each([407, 503])(
    'a proxy answers %i: the error names it, and no connection is left',
    async (status) => {
      const proxy = await startProxy(status);
      const post = postTo('https://mimir.test/push', { HTTPS_PROXY: proxy.url });
      for (let nth = 0; nth < 100; nth++) {
        const sent = post(Buffer.from('1'), new AbortController().signal);
        await expect(sent).rejects.toThrow(
          `the proxy ${proxy.name} opened no tunnel to mimir.test:443: ${status} `,
        );
      }
      await waitFor(() => proxy.open() === 0, { seen: proxy.open });
    },
  );

  test.each(['silence', 'mute'] as const)(
    'a proxy answers by %s: it ends with its signal',
    async (answer) => {
      const proxy = await startProxy(answer);
      const post = postTo('https://mimir.test/push', { HTTPS_PROXY: proxy.url });
      const stop = new AbortController();
      const hanging = post(Buffer.from('1'), stop.signal);
      await waitFor(() => proxy.heads.length === 1);
      stop.abort();
      await expect(hanging).rejects.toThrow(`, through the proxy ${proxy.name}`);
      post.close();
      await waitFor(() => proxy.open() === 0, { seen: proxy.open });
    },
  );
});

describe('a backfill by remote write', () => {
  test('records nothing as sent where a login page answers', async () => {
    let answers = (response: ServerResponse) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>Sign in</html>');
    const arrived: string[] = [];
    const url = await receiver(({ body }, response) => {
      arrived.push(...samplesIn(body));
      answers(response);
    });
    const state = join(folder(), 'state.json');
    const run = async () =>
      bring({ orgs: [org], collectors: [daily], from, to, now, target: await remoteTarget(url, state) });
    await expect(run()).rejects.toThrow('the target answered 200 with a web page');
    arrived.length = 0;
    answers = (response) => response.writeHead(200).end();
    expect(await run()).toMatchObject({ samples: 80 });
    expect(new Set(arrived).size).toBe(80);
  });

  test('resumes where it was interrupted, and sends nothing twice', async () => {
    const arrived: string[] = [];
    let budget = 4;
    const url = await receiver(({ body }, response) => {
      if (budget-- <= 0) {
        response.writeHead(400).end('out of bounds');
        return;
      }
      arrived.push(...samplesIn(body));
      response.writeHead(204).end();
    });
    const state = join(folder(), 'state.json');
    const run = async () =>
      bring({ orgs: [org], collectors: [daily], from, to, now, target: await remoteTarget(url, state, 10) });
    await expect(run()).rejects.toThrow('the target answered 400: out of bounds');
    const atFirst = arrived.length;
    budget = 1000;
    const { samples } = await run();
    expect(atFirst).toBe(40);
    expect(samples).toBe(80 - atFirst);
    expect(new Set(arrived).size).toBe(80);
    expect(arrived).toHaveLength(80);
    expect(await run()).toMatchObject({ samples: 0 });
  });

  test('sends another collector later, and only that one', async () => {
    const arrived: string[] = [];
    const url = await receiver(({ body }, response) => {
      arrived.push(...samplesIn(body));
      response.writeHead(204).end();
    });
    const state = join(folder(), 'state.json');
    const reported = orgWith(from, [{ credits: 1 }], [{ at: 0, repo: 'r' }]);
    const once = async (collectors: Parameters<typeof bring>[0]['collectors']) =>
      bring({ orgs: [reported], collectors, from, to: from, now, target: await remoteTarget(url, state) });
    await once([daily]);
    arrived.length = 0;
    await once([daily, documents]);
    expect(arrived.filter((sample) => sample.includes('test_reports'))).toHaveLength(1);
    expect(arrived.filter((sample) => sample.includes('test_credits'))).toHaveLength(0);
  });

  test('keeps what other targets have acknowledged', async () => {
    const url = await receiver((_, response) => response.writeHead(204).end());
    const path = join(folder(), 'state.json');
    writeFileSync(
      path,
      JSON.stringify({ version: 1, targets: { other: { acme: { tokens: { [from]: [43_200] } } } } }),
    );
    await bring({ orgs: [org], collectors: [daily], from, to, now, target: await remoteTarget(url, path) });
    const other = await readAcknowledged(createStateFile(path), 'other');
    const stamp = Date.parse('2026-03-02T12:00:00Z');
    expect(other.missing({ org: 'acme', collector: 'tokens', day: from }, [stamp, stamp + 1000])).toEqual([
      stamp + 1000,
    ]);
    const here = await readAcknowledged(createStateFile(path), url);
    expect(here.missing({ org: 'acme', collector: 'tokens', day: from }, [stamp])).toEqual([]);
  });
});

test('a backfill that is stopped waits for requests in progress, and records them', async () => {
  const stop = new AbortController();
  let arrived = 0;
  const url = await receiver(({ body }, response) => {
    arrived += samplesIn(body).length;
    stop.abort();
    response.writeHead(204).end();
  });
  const state = join(folder(), 'state.json');
  const run = async (signal: AbortSignal) => {
    const target = await remoteTarget(url, state, 10, createSystemClock());
    return bring({ orgs: [org], collectors: [daily], from, to, now, target, signal });
  };
  const first = await run(stop.signal);
  expect(first).toMatchObject({ interrupted: true, samples: arrived });
  expect(arrived).toBeLessThan(80);
  const rest = await run(new AbortController().signal);
  expect(first.samples + rest.samples).toBe(80);
  expect(arrived).toBe(80);
});
