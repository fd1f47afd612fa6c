import { expect, test } from 'vitest';
import { type ApiAnswer, type Source, takeBody } from '../../src/catalog/source.ts';
import { fetchReports } from '../../src/collectors/readiness/fetch.ts';
import { tokensCollector } from '../../src/collectors/tokens/collector.ts';
import { createSingleAttempt, parseHosts } from '../../src/platform/attempt.ts';
import type { Answered } from '../../src/platform/exchange.ts';
import { walkPages } from '../../src/platform/paging.ts';
import { createFakeClock } from '../../src/runtime/clock.ts';
import { createSlices } from '../../src/runtime/slices.ts';
import { DAY } from '../collectors/fakes.ts';
import { tokensRequest } from './platform-server.ts';

// What a promise has resolved with stays in memory as long as the promise: far longer than anybody needs an answer.

/** A source that keeps the answers that it gives. */
function keeping(bodyOf: (query: Readonly<Record<string, string>>) => unknown) {
  const answers: ApiAnswer[] = [];
  const get: Source['get'] = async ({ query }) => {
    const answer = { body: bodyOf(query), bytes: 1 };
    answers.push(answer);
    return answer;
  };
  const source: Source = {
    get,
    pages: (request, onItems) => walkPages(get, request, onItems, 10),
    inSlices: () => Promise.reject(new Error('unused')),
  };
  return { source, answers };
}

test('a body can be taken once', () => {
  const answer: ApiAnswer = { body: { data: [] }, bytes: 11 };
  expect(takeBody(answer)).toEqual({ data: [] });
  expect(answer).toEqual({ body: undefined, bytes: 11 });
});

test('the text of an answer is gone once it has been parsed', async () => {
  const clock = createFakeClock(0);
  const answered: Answered = {
    ...{ kind: 'answer', status: 200, text: '{"data":[]}', bytes: 11 },
    ...{ contentType: undefined, retryAfter: undefined, date: undefined },
  };
  const attempt = createSingleAttempt({
    org: 'acme',
    hosts: parseHosts('http://127.0.0.1', 'http://127.0.0.1'),
    credential: async () => 'key',
    timeoutMs: 1_000,
    maxResponseBytes: 1_000,
    exchange: async () => answered,
    clock,
    observer: { request: () => undefined, retry: () => undefined },
    closed: new AbortController().signal,
    reading: createSlices(clock),
  });
  expect(await attempt(tokensRequest(), 1_000)).toMatchObject({ ok: true, answer: { body: { data: [] } } });
  expect(answered.text).toBe('');
});

test('answers about days keep no body', async () => {
  const { source, answers } = keeping(() => ({ data: [] }));
  await tokensCollector.fetch(source, { from: DAY, to: DAY });
  expect(answers.map(({ body }) => body)).toEqual(answers.map(() => undefined));
  expect(answers.length).toBeGreaterThan(0);
});

test('pages of a listing keep no body', async () => {
  const { source, answers } = keeping(({ startAfter }) => ({
    reports: startAfter === undefined ? [{ reportId: 'a' }] : [],
  }));
  await fetchReports(source);
  expect(answers.map(({ body }) => body)).toEqual([undefined, undefined]);
});
