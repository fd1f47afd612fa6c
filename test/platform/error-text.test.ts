import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeErrorBody, describeNetworkError } from '../../src/platform/error-text.ts';
import { KEY } from './platform-server.ts';

const json = 'application/json';

describe('the body of a failed answer', () => {
  test.each([
    ['{"title":"Bad Request","detail":"limit out of range","status":400}', 'Bad Request: limit out of range'],
    ['{"detail":"only a detail","status":500,"title":""}', 'only a detail'],
    ['{"title":"Unauthorized"}', 'Unauthorized'],
    ['{"message":"plain message"}', 'plain message'],
    ['{"error":"plain error"}', 'plain error'],
    ['{"error":{"message":"nested"}}', 'nested'],
    ['{"errors":[{"message":"one"},{"message":"two"},"three",{"message":"four"}]}', 'one; two; three'],
    ['"only a text"', 'only a text'],
    ['{"title":{"detail":1},"errors":{}}', ''],
    ['[]', ''],
    ['null', ''],
    ['{"title":"cut","detail":"half a', 'cut'],
    ['  upstream\nconnect\t error  ', 'upstream connect error'],
    ['', ''],
  ])('%j is described as %j', (body, line) => {
    expect(describeErrorBody(json, body)).toBe(line);
  });

  test.each([
    ['<html><head><title>502 Bad Gateway</title></head><body>x</body></html>', '502 Bad Gateway'],
    [
      '<!doctype html><style>b{}</style><h1>Down&nbsp;for <b>maintenance</b></h1><script>x()</script>',
      'Down for maintenance',
    ],
  ])('the page %j is described by its text', (body, line) => {
    expect(describeErrorBody('text/html', body)).toBe(line);
  });

  test('that is binary is not shown', () => {
    const line = 'a body that is not text';
    expect(describeErrorBody('application/octet-stream', 'abc')).toBe(line);
    expect(describeErrorBody(undefined, 'ab\u0000c')).toBe(line);
    expect(describeErrorBody(undefined, '\uFFFD\uFFFDab\uFFFD')).toBe(line);
  });

  test.each([
    [`the key ${KEY} is wrong`, 'the key *** is wrong'],
    [`the key ${KEY.slice(0, 11)}... is wrong`, 'the key *** is wrong'],
    [`key=${KEY.toUpperCase()}`, 'key=***'],
    ['Authorization was: Bearer abc.def', 'Authorization was: Bearer ***'],
    ['no such user jo.doe+x@example.com, sorry', 'no such user *** sorry'],
    ['cannot reach postgres://root:hunter2@db/main', 'cannot reach ***'],
    ['at /users?cursor=u_1&limit=5 failed', 'at /users?*** failed'],
    ['user jo%40example.com', 'user ***'],
    ['token: 3f9a8b7c6 expired', 'token: *** expired'],
    ['token: expired', 'token: expired'],
    ['password=x', 'password=***'],
    ['other key sk-live-abc123def', 'other key ***'],
    ['session 9f86d081884c7d659a2feaa0c55ad015', 'session ***'],
    [
      'request 123e4567-e89b-12d3-a456-426614174000 failed',
      'request 123e4567-e89b-12d3-a456-426614174000 failed',
    ],
    ['model claude-haiku-4-5-20251001 is unknown', 'model claude-haiku-4-5-20251001 is unknown'],
    [
      'no route /api/organization/maturity-level-reports',
      'no route /api/organization/maturity-level-reports',
    ],
  ])('%j is described as %j', (body, line) => {
    expect(describeErrorBody('text/plain', body, [KEY])).toBe(line);
  });

  const types = fc.constantFrom(json, 'text/html', 'text/plain', undefined, 'application/problem+json');
  const noise = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 400 }),
    fc.json(),
    fc.string({
      unit: fc.constantFrom(
        '<',
        '>',
        '"',
        '\\',
        '{',
        ' ',
        'a',
        '@',
        '?',
        '=',
        ':',
        '\n',
        '\u200b',
        '\u{1F600}',
      ),
    }),
  );

  test('is always one short, well-formed line without control characters and tags', () => {
    fc.assert(
      fc.property(types, noise, (type, body) => {
        const line = describeErrorBody(type, body);
        expect(line.length).toBeLessThanOrEqual(200);
        expect(line).not.toMatch(/[\p{Cc}\p{Cs}\p{Cf}\u2028\u2029]/u);
        expect(line).not.toMatch(/<[a-z/][^<>]*>/i);
        expect(line).toBe(line.trim());
      }),
    );
  });

  test('never shows the key, wherever and in whatever shape it is echoed', () => {
    const wrappers: ((key: string, around: string) => string)[] = [
      (key, around) => around + key + around,
      (key, around) => JSON.stringify({ detail: `${around}${key}${around}` }),
      (key, around) => JSON.stringify({ errors: [{ message: `${key}${around}` }] }),
      (key, around) => `<p>${around}<b>${key}</b></p>`,
      (key, around) => `${around}${Buffer.from(key).toString('base64')}`,
    ];
    const keys = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_+/=.<>&"\\-]{11,60}$/);
    fc.assert(
      fc.property(types, noise, keys, fc.constantFrom(...wrappers), (type, around, key, wrap) => {
        const line = describeErrorBody(type, wrap(key, around), [key]);
        expect(line).not.toContain(key);
        expect(line).not.toContain(Buffer.from(key).toString('base64'));
      }),
    );
  });

  test('never shows an e-mail address or a bearer token', () => {
    fc.assert(
      fc.property(types, noise, fc.emailAddress(), (type, around, address) => {
        const line = describeErrorBody(type, `${around} ${address} Bearer ${'q'.repeat(9)} `);
        expect(line).not.toContain(address);
        expect(line).not.toContain('qqqqqqqqq');
      }),
    );
  });

  test('is read at its beginning only, so that no size of it costs time', () => {
    expect(describeErrorBody('text/html', `${'<p>'.repeat(20_000)}<title>late</title>`)).toBe('');
    expect(describeErrorBody('text/html', `${'<p>'.repeat(200)}<title>early</title>`)).toBe('early');
  });

  // A pattern with quadratic time would need half an hour for two million characters, so that the time limit of the test,
  // which is meant for hanging tests, decides.
  test.each(['<', '<script>', '@', '?', 'a@', '&lt;', '\\"', 'token=', '{"detail":"'])(
    'costs little time where it is hostile: %j',
    (piece) => {
      const body = piece.repeat(2_000_000 / piece.length);
      expect(describeErrorBody('text/html', body, [KEY])).toBeTypeOf('string');
      expect(describeErrorBody('text/plain', body, [KEY])).toBeTypeOf('string');
    },
  );
});

test.each(['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'])(
  'what is not TLS (%s) is said in plain words',
  (code) => {
    const error = Object.assign(new Error('unused'), { code });
    expect(describeNetworkError(error, ', through the proxy p:1')).toEqual({
      timeout: false,
      words: 'TLS handshake failed, through the proxy p:1',
      hint: 'Check whether the URL should begin with http or https.',
    });
  },
);
