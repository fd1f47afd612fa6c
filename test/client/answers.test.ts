import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { tokensCollector } from '../../src/collectors/tokens/collector.ts';
import { advice, isNotYet } from '../../src/platforms/agent-platform/advice.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import type { Slices } from '../../src/work/slices.ts';
import { dayNamed } from '../support/day.ts';
import { fetchDays } from '../support/readers.ts';
import { answers, createTestClient, failureOf, startServer, tokensRequest } from './platform-server.ts';

describe('a rejection', () => {
  const detail = JSON.stringify({ title: 'T', detail: 'why it is so', status: 0, requestId: 'r' });

  test.each([
    [400, 'server', undefined],
    [401, 'auth', 'create a new API key in the settings of the web app'],
    [403, 'role', 'Manager or Owner'],
    [404, 'server', undefined],
    [422, 'server', undefined],
  ])('with %i has the reason %s and is not asked again', async (status, reason, hint) => {
    const server = await startServer(answers({ status, body: detail }));
    const { client, codes, retried } = createTestClient(server.url, { advice });
    const error = await failureOf(client.get(tokensRequest({ startDate: '2026-11-19' })));
    expect(error).toMatchObject({ reason, status });
    expect(error.message).toBe(`GET /api/v1/analytics/tokens answered ${status}: T: why it is so`);
    if (hint !== undefined) expect(error.hint).toContain(hint);
    expect([codes, retried]).toEqual([[String(status)], []]);
  });

  test('with an empty body is described by its status alone', async () => {
    const server = await startServer(answers({ status: 404, body: '' }));
    const { client } = createTestClient(server.url);
    const error = await failureOf(client.get(tokensRequest()));
    expect(error.message).toBe('GET /api/v1/analytics/tokens answered 404');
  });

  test('with ten megabytes of body costs one line', async () => {
    const server = await startServer(answers({ status: 400, body: 'no, thanks. '.repeat(900_000) }));
    const { client } = createTestClient(server.url, { maxResponseBytes: 1_000_000 });
    const error = await failureOf(client.get(tokensRequest()));
    expect(error).toMatchObject({ reason: 'server', status: 400 });
    expect(error.message.length).toBeLessThan(300);
  });

  test.each([
    [400, "Cannot query today's date - analytics data has a 24-hour lag", true],
    [400, 'endDate must not be in the future', true],
    [400, 'Invalid date format, expected YYYY-MM-DD', false],
    [400, 'limit out of range', false],
    [500, 'no data for today', false],
  ])('%i "%s" is about today: %s', async (status, words, expected) => {
    const server = await startServer(answers({ status, body: JSON.stringify({ detail: words }) }));
    const { client } = createTestClient(server.url, { retries: 0, isNotYet });
    expect((await failureOf(client.get(tokensRequest()))).isNotYet ?? false).toBe(expected);
  });
});

describe('an answer that is not what it should be', () => {
  const login = '<html><head><title>Sign in &amp; go on</title></head><body>secret rows</body></html>';

  test.each([
    ['a cut JSON text', '{"data":[{"user_email":"jo@example.com"', '39 bytes of incomplete JSON'],
    [
      'a text that is nearly JSON',
      '{"data":[{"user_email":"jo@example.com"}]]',
      '42 bytes that are not JSON',
    ],
    ['an empty body', '', 'an empty body'],
    ['a login page', login, 'a web page in place of JSON: Sign in & go on'],
  ])('%s is a schema failure after one retry, and is not quoted', async (_case, body, words) => {
    const server = await startServer(answers({ body }));
    const { client, codes } = createTestClient(server.url);
    const error = await failureOf(client.get(tokensRequest()));
    expect(error).toMatchObject({ reason: 'schema', status: 200 });
    expect(error.message).toBe(`GET /api/v1/analytics/tokens answered 200 with ${words}`);
    expect(codes).toEqual(['200', '200']);
  });

  test('a single failure of a proxy is retried', async () => {
    const server = await startServer(answers({ body: login }, { body: '{"data":[]}' }));
    const { client } = createTestClient(server.url);
    expect((await client.get(tokensRequest())).body).toEqual({ data: [] });
  });

  test('NaN and Infinity in place of numbers cost their fields, and not the answer', async () => {
    const day = '{"date":"2026-03-10","billable_tokens":NaN,"input_tokens":7,"output_tokens":-Infinity,';
    const models =
      '"by_model":[{"model_id":"a \\"NaN, Infinity","model_tier":"s","billable_tokens":Infinity}]}';
    const server = await startServer(answers({ body: `{"data":[${day}${models}]}` }));
    const { client, codes } = createTestClient(server.url);
    const at = dayNamed('2026-03-10');
    const { rows, rejected, lost } = await fetchDays(tokensCollector, client, { from: at, to: at });
    expect(rows.get(at)).toEqual({
      tokens: { input: 7 },
      byModel: [{ model: 'a "NaN, Infinity', tier: 's', credits: null }],
      rejected: { total: 1, output: 1, models: 1 },
    });
    expect([rejected, lost, codes]).toEqual([3, 0, ['200']]);
  });

  test('a cut text with NaN is cut all the same', async () => {
    const server = await startServer(answers({ body: '{"data":[-Infinity,-Infinity,NaN' }));
    const { client } = createTestClient(server.url);
    const error = await failureOf(client.get(tokensRequest()));
    expect(error.message).toContain('32 bytes of incomplete JSON');
  });

  test.each([
    ['ends within a string of quotation marks', '', 'bytes of incomplete JSON'],
    ['is followed by one bracket too many', '"}]}]]', 'bytes that are not JSON'],
  ])('a huge text with NaN that %s takes neither time nor stack without bound', async (_case, end, words) => {
    const body = `{"data":[{"billable_tokens":NaN,"by_model":[{"model_id":"${'\\"'.repeat(8_000_000)}${end}`;
    const server = await startServer(answers({ body }));
    const { client } = createTestClient(server.url, { retries: 0 });
    expect((await failureOf(client.get(tokensRequest()))).message).toContain(words);
  });

  test('a byte order mark is accepted', async () => {
    const server = await startServer(answers({ body: '\uFEFF{"data":[]}' }));
    const { client } = createTestClient(server.url);
    expect((await client.get(tokensRequest())).body).toEqual({ data: [] });
  });

  test('a body shorter than announced is a network failure and is asked for again', async () => {
    const server = await startServer((_request, response, count) => {
      if (count > 1) response.end('{"data":[]}');
      else {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"data":[]}', () => response.destroy());
      }
    });
    const { client, codes } = createTestClient(server.url);
    expect((await client.get(tokensRequest())).body).toEqual({ data: [] });
    expect(codes).toEqual(['network', '200']);
  });

  test.each([
    ['chunked body that breaks off', false],
    ['compressed body that breaks off', true],
  ])('a %s is a network failure', async (_case, compressed) => {
    const server = await startServer((_request, response) => {
      const packed = gzipSync(JSON.stringify({ data: 'x'.repeat(10_000) }));
      response.writeHead(200, compressed ? { 'content-encoding': 'gzip' } : {});
      response.write(compressed ? packed.subarray(0, 40) : '{"data":', () => response.destroy());
    });
    const { client } = createTestClient(server.url, { retries: 0 });
    expect(await failureOf(client.get(tokensRequest()))).toMatchObject({
      reason: 'network',
      message: expect.stringContaining('incomplete or damaged'),
    });
  });

  test('a damaged compressed body is a network failure', async () => {
    const server = await startServer(
      answers({ headers: { 'content-encoding': 'gzip' }, body: 'not gzip at all' }),
    );
    const { client } = createTestClient(server.url, { retries: 0 });
    expect((await failureOf(client.get(tokensRequest()))).reason).toBe('network');
  });
});

describe('a 204', () => {
  test('is neither a failure nor a body where a request says that the data may not be there yet', async () => {
    const server = await startServer(answers({ status: 204, body: '' }));
    const { client, codes, retried } = createTestClient(server.url);
    const answer = await client.get({ ...tokensRequest(), mayBeUnready: true });
    expect(answer).toMatchObject({ isUnready: true, body: undefined, bytes: 0 });
    expect([codes, retried]).toEqual([['204'], []]);
  });

  test('is an answer without a body to any other request', async () => {
    const server = await startServer(answers({ status: 204, body: '' }));
    const { client } = createTestClient(server.url);
    const error = await failureOf(client.get(tokensRequest()));
    expect(error).toMatchObject({ reason: 'schema', status: 204 });
    expect(error.message).toContain('answered 204 with an empty body');
  });

  test.each([200, 202])('is what an empty %i is not', async (status) => {
    const server = await startServer(answers({ status, body: '' }));
    const { client } = createTestClient(server.url);
    const error = await failureOf(client.get({ ...tokensRequest(), mayBeUnready: true }));
    expect(error).toMatchObject({ reason: 'schema', status });
  });

  test('does not come with a body: that is an answer as ever', async () => {
    const server = await startServer(answers({ body: '{"data":[]}' }));
    const { client } = createTestClient(server.url);
    const answer = await client.get({ ...tokensRequest(), mayBeUnready: true });
    expect([answer.body, answer.isUnready]).toEqual([{ data: [] }, undefined]);
  });
});

describe('no answer', () => {
  test('a refused connection names its cause and what to check', async () => {
    const server = await startServer(answers({}));
    await server.close();
    const { client, codes } = createTestClient(server.url, { retries: 1 });
    const error = await failureOf(client.get(tokensRequest()));
    expect(error).toMatchObject({
      reason: 'network',
      message: `GET /api/v1/analytics/tokens: connection refused (${new URL(server.url).host})`,
      hint: expect.stringContaining('Check the configured URL'),
    });
    expect(codes).toEqual(['network', 'network']);
  });

  test('something that does not speak HTTP is a network failure', async () => {
    const server = createServer((socket) => socket.end('220 mail.example.com ESMTP\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const { client } = createTestClient(`http://127.0.0.1:${port}`, { retries: 0 });
    expect((await failureOf(client.get(tokensRequest()))).message).toContain('the answer is not HTTP');
    server.close();
  });
});

test('a body is read in slices, at most 64 KiB in each', async () => {
  const body = JSON.stringify({ data: 'x'.repeat(1_000_000) });
  const server = await startServer(answers({ body }));
  let read = 0;
  const slices: Slices = {
    over: () => false,
    async next() {
      read += 1;
    },
    place: () => 1,
  };
  const { client } = createTestClient(server.url, { clock: { ...createSystemClock(), slices } });
  expect(await client.get(tokensRequest())).toMatchObject({ bytes: body.length });
  expect(read).toBeGreaterThan(body.length / 65_536);
});
