import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import type { ApiRequest } from '../../src/catalog/source.ts';
import { Client, type PlatformClientDeps } from '../../src/client/client.ts';
import { createThrottleHolds, type ThrottleHolds } from '../../src/client/throttle-holds.ts';
import { PlatformError } from '../../src/text/errors.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { waitFor } from '../support/wait-for.ts';

export const KEY = 'fk-3f9a8b7c6d5e4f3a2b1c';
export const START = Date.UTC(2026, 10, 20, 12);

interface TestServer {
  readonly url: string;
  readonly requests: { readonly url: string; readonly headers: http.IncomingHttpHeaders }[];
  close(): Promise<void>;
}

export type Answer = (request: http.IncomingMessage, response: http.ServerResponse, count: number) => void;

/** A server on a free port of this machine, for one test; `count` is 1 for the first request. */
export async function startServer(answer: Answer): Promise<TestServer> {
  const requests: TestServer['requests'] = [];
  const server = http.createServer({ keepAliveTimeout: 0 }, (request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers });
    answer(request, response, requests.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return { url: `http://127.0.0.1:${port}`, requests, close };
}

/** Answers requests with these in order, and repeats the last one. */
export function answers(
  ...list: { status?: number; headers?: Record<string, string>; body?: string }[]
): Answer {
  return (_request, response, count) => {
    const { status = 200, headers = {}, body = '{}' } = list[Math.min(count, list.length) - 1] ?? {};
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };
}

interface TestClient {
  readonly client: Client;
  readonly clock: FakeClock;
  readonly holds: ThrottleHolds;
  readonly log: ReturnType<typeof createFakeLogger>;
  readonly codes: string[];
  readonly retried: string[];
}

/** A client for one test, whose waits take no time and whose jitter is at its maximum. */
export function createTestClient(url: string, overrides: Partial<PlatformClientDeps> = {}): TestClient {
  const clock = createFakeClock(START, { autoAdvance: true });
  const holds = createThrottleHolds(clock);
  const log = createFakeLogger();
  const codes: string[] = [];
  const retried: string[] = [];
  const client = new Client({
    org: 'acme',
    baseUrl: url,
    appUrl: url,
    credential: async () => KEY,
    timeoutMs: 60_000,
    maxResponseBytes: 64 * 1024 * 1024,
    retries: 4,
    requestsPerSecond: Number.POSITIVE_INFINITY,
    version: '1.2.3',
    clock,
    throttleHolds: holds,
    random: () => 1,
    log,
    observer: {
      request: ({ code }) => codes.push(code),
      retry: ({ endpoint }) => retried.push(endpoint),
    },
    ...overrides,
  });
  onTestFinished(() => client.close());
  return { client, clock, holds, log, codes, retried };
}

/**
 * Makes requests that time out as soon as the server has received each of them and, with `heads`, the client has the head
 * of its answer: no machine is too slow for that. Only the timers of sockets are moved.
 */
export async function letTimePass<Result>(
  server: TestServer,
  timeoutMs: number,
  { heads }: { readonly heads: boolean },
  ask: () => Promise<Result>,
): Promise<Result> {
  let answered = 0;
  const onHead = () => {
    answered += 1;
  };
  subscribe('http.client.response.finish', onHead);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let ended = false;
    let passed = 0;
    const asking = ask().finally(() => {
      ended = true;
    });
    while (!ended) {
      await waitFor(() => ended || Math.min(server.requests.length, heads ? answered : Infinity) > passed, {
        what: 'the next request, or the end',
        seen: () => ({ requests: server.requests.length, answered, passed }),
      });
      passed = server.requests.length;
      vi.advanceTimersByTime(timeoutMs);
    }
    return await asking;
  } finally {
    vi.useRealTimers();
    unsubscribe('http.client.response.finish', onHead);
  }
}

export function tokensRequest(query: Record<string, string> = {}): ApiRequest {
  return { endpoint: 'tokens', host: 'api', path: '/api/v1/analytics/tokens', query };
}

/** The error of a rejected promise, which must be a PlatformError. */
export async function failureOf(promise: Promise<unknown>): Promise<PlatformError> {
  const thrown = await promise.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  if (thrown instanceof PlatformError) return thrown;
  throw thrown;
}
