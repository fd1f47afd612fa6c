import { describe, expect, test } from 'vitest';
import type { Refusal } from '../../src/catalog/platform.ts';
import type { Answered } from '../../src/client/exchange.ts';
import { classifyResponse, parseHttpDate, RATE_HINT } from '../../src/client/response.ts';
import { advice } from '../../src/platforms/agent-platform/advice.ts';
import { KEY, START } from './platform-server.ts';

function classified(answer: Partial<Answered>) {
  const answered: Answered = {
    ...{ kind: 'answer', status: 200, text: '', bytes: answer.text?.length ?? 0 },
    ...{ contentType: undefined, retryAfter: undefined, date: undefined },
    ...answer,
  };
  return classifyResponse(answered, 'GET /x', { key: KEY, now: START, maxResponseBytes: 9, advice });
}

describe('a refusal', () => {
  const facts = { key: KEY, now: START, maxResponseBytes: 9 };
  const refused = (status: number): Answered => ({
    ...{ kind: 'answer', status, text: '{"message":"wait, said nobody"}', bytes: 0 },
    ...{ contentType: undefined, retryAfter: undefined, date: undefined },
  });

  test.each([400, 401, 403, 404, 500])('with %i has the advice that its platform gives', (status) => {
    const advice = (of: number, said: string) => `${of}: ${said}`;
    const hint = `${status}: wait, said nobody`;
    expect(classifyResponse(refused(status), 'GET /x', { ...facts, advice })).toMatchObject({
      error: { hint },
    });
    expect(classifyResponse(refused(status), 'GET /x', facts)).toMatchObject({ error: { hint: undefined } });
  });

  test('of a rate says what the exporter can do, whatever the platform says', () => {
    const outcome = classifyResponse(refused(429), 'GET /x', { ...facts, advice: () => 'nothing' });
    expect(outcome).toMatchObject({ error: { hint: expect.stringContaining('--api.requests-per-second') } });
  });

  test('says that a day is not there yet where its platform says so', () => {
    const isNotYet = ({ status, message }: { status: number; message: string }) =>
      status === 400 && message.endsWith('said nobody');
    const verdict = (status: number) => classifyResponse(refused(status), 'GET /x', { ...facts, isNotYet });
    expect(verdict(400)).toMatchObject({ error: { isNotYet: true } });
    expect(verdict(404)).toMatchObject({ error: { isNotYet: false } });
  });
});

describe('an answer', () => {
  test.each([
    [199, false],
    [200, true],
    [204, true],
    [299, true],
    [300, false],
  ])('with the status %i is a success: %s', (status, ok) => {
    expect(classified({ status, text: '{"a":1}' }).ok).toBe(ok);
  });

  test.each([
    ['{"a":1}', { a: 1 }],
    ['\uFEFF[]', []],
    ['[NaN,-NaN,Infinity,-Infinity,1]', [Infinity, Infinity, Infinity, Infinity, 1]],
    ['{"NaN":"-Infinity","b":[NaN]}', { NaN: '-Infinity', b: [Infinity] }],
    ['["\\"NaN",NaN,"\\\\",NaN,"NaN\\\\"]', ['"NaN', Infinity, '\\', Infinity, 'NaN\\']],
  ])('%j is read as %j', (text, body) => {
    expect(classified({ text })).toEqual({ ok: true, answer: { body, bytes: text.length } });
  });

  test.each([
    ['', 'an empty body', 'login page'],
    [' \n', 'an empty body', 'login page'],
    ['[1,', '3 bytes of incomplete JSON', 'too early'],
    ['{"a":', '5 bytes of incomplete JSON', 'too early'],
    ['"text', '5 bytes of incomplete JSON', 'too early'],
    ['tru', '3 bytes of incomplete JSON', 'too early'],
    ['[1]]', '4 bytes that are not JSON', 'login page'],
    ['[1 2', '4 bytes that are not JSON', 'login page'],
    ['aNaN', '4 bytes that are not JSON', 'login page'],
    ['a < b', '5 bytes that are not JSON', 'login page'],
    ['<p>rows</p>', 'a web page in place of JSON', 'login page'],
    [' \n<html><TITLE lang="en">Sign\nin</TITLE>', 'a web page in place of JSON: Sign in', 'login page'],
    [`<title>${KEY}</title>`, 'a web page in place of JSON: ***', 'login page'],
  ])('%j is %s', (text, words, hint) => {
    expect(classified({ text })).toMatchObject({
      ...{ ok: false, retry: 'once' },
      error: {
        reason: 'schema',
        message: `GET /x answered 200 with ${words}`,
        hint: expect.stringContaining(hint),
      },
    });
  });

  test.each([
    [503, 'Rate limit exceeded', 'throttled'],
    [503, 'ratelimited', 'throttled'],
    [503, 'Too many requests', 'throttled'],
    [503, 'requests are throttled', 'throttled'],
    [503, 'over quota', 'throttled'],
    [503, 'accelerate limits', 'server'],
    [503, 'too many requestsx', 'server'],
    [500, 'Rate limit exceeded', 'server'],
    [429, 'anything', 'throttled'],
  ])('%i "%s" has the reason %s', (status, text, reason) => {
    expect(classified({ status, text })).toMatchObject({ retry: 'always', error: { reason, status } });
  });

  test.each([
    [401, 'never', 'API key'],
    [403, 'never', 'Owner'],
    [404, 'never', 'configured URL'],
    [405, 'never', undefined],
    [413, 'never', 'at once'],
    [429, 'always', 'requests-per-second'],
    [501, 'never', undefined],
    [502, 'always', undefined],
    [505, 'never', undefined],
  ])('%i is retried %s', (status, retry, hint) => {
    const outcome = classified({ status, retryAfter: '5' });
    expect(outcome).toMatchObject({
      ...{ ok: false, retry },
      error: { status, hint: hint === undefined ? undefined : expect.stringContaining(hint) },
    });
    expect('retryAfterMs' in outcome ? outcome.retryAfterMs : undefined).toBe(
      retry === 'always' ? 5_000 : undefined,
    );
  });
});

test.each([
  ['Fri, 20 Nov 2026 12:00:00 GMT', START],
  ['FRI, 20 Nov 2026 12:00:00 UTC', START],
  ['Fri, 20 Nov 2026 14:00:00 +0200', START],
  ['Friday, 20-Nov-26 12:00:00 GMT', START],
  ['Fri Nov 20 12:00:00 2026', START],
  ['2026-11-20T12:00:00Z', undefined],
  ['on Fri, 20 Nov 2026 12:00:00 GMT', undefined],
  ['Fri, sometime', undefined],
])('the date %s is %s', (text, at) => {
  expect(parseHttpDate(text)).toBe(at);
});

describe('a platform may say in words of its own that the rate is exceeded', () => {
  const headers: Readonly<Record<string, string>> = { 'x-left': '0', 'x-again-in': '30' };
  const answer: Answered = {
    ...{ kind: 'answer', status: 403, text: '{}', bytes: 2, header: (name) => headers[name] },
    ...{ contentType: undefined, retryAfter: undefined, date: undefined },
  };
  const facts = { key: KEY, now: START, maxResponseBytes: 9 };

  test('whose pause is then kept, whatever the status', () => {
    const pauseOf = ({ status, header }: Refusal) =>
      status === 403 && header('x-left') === '0' ? Number(header('x-again-in')) : undefined;
    expect(classifyResponse(answer, 'GET /x', { ...facts, pauseOf })).toMatchObject({
      error: { reason: 'throttled', status: 403, hint: RATE_HINT },
      retry: 'always',
      retryAfterMs: 30_000,
    });
  });

  test('and is refused as usual otherwise', () => {
    expect(classifyResponse(answer, 'GET /x', { ...facts, pauseOf: () => undefined })).toMatchObject({
      error: { reason: 'role' },
      retry: 'never',
    });
  });
});
