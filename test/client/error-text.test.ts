import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeErrorBody } from '../../src/client/error-text.ts';
import { describeNetworkError } from '../../src/net/http-error.ts';
import { ProxyError } from '../../src/net/proxy.ts';
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
    ['{"error":{"detail":"nested detail"}}', 'nested detail'],
    ['{"error":{"message":"nested","details":{"error_code":"not_enrolled"}}}', 'not_enrolled: nested'],
    ['{"error":{"message":"nested","details":{"error_code":7}}}', 'nested'],
    ['{"detail":"detail","message":"message","error":"error"}', 'detail'],
    ['{"title":" ","message":"message","error":"error"}', 'message'],
    ['{"error":"error","errors":["first"]}', 'error'],
    ['{"errors":[{"code":7}]}', ''],
    ['{"errors":[null,{"message":"second"}]}', 'second'],
    ['[]', ''],
    ['[{"message":"of a list that is cut"},{', 'of a list that is cut'],
    ['[{"message":"cut', ''],
    ['no JSON: {"message":"message"}', 'no JSON: {"message":"message"}'],
    ['null', ''],
    ['{"title":"cut","detail":"half a', 'cut'],
    ['{"title" : "spaced", "detail', 'spaced'],
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
    ['<title lang="en"> Tom &amp; &quot;Al&apos;s&#34; &#39;page&#x27; </title>', `Tom & "Al's" 'page'`],
    ['<title> </title><p>no&nbsp;&#39;title&#39;</p>', "no 'title'"],
    ['<p>a &lt;b&gt; c</p><p', 'a b c'],
    ['<STYLE type="a">b{}</STYLE ><p>shown', 'shown'],
    ['Down &amp; out', 'Down & out'],
    ['{"detail":"JSON all the same"}', 'JSON all the same'],
  ])('the page %j is described by its text', (body, line) => {
    expect(describeErrorBody('text/html', body)).toBe(line);
    expect(describeErrorBody('application/xhtml+XML', body)).toBe(line);
  });

  test('that is markup by its text alone is read as such', () => {
    expect(describeErrorBody(undefined, ' <p>Down &amp; out</p>')).toBe('Down & out');
    expect(describeErrorBody(undefined, 'Down &amp; out')).toBe('Down &amp; out');
  });

  test.each([
    [`${'so '.repeat(66)}on`, `${'so '.repeat(66)}on`],
    [`${'so '.repeat(66)}one`, `${'so '.repeat(66)}o…`],
    [`x${'so '.repeat(67)}y`, `x${'so '.repeat(66).trim()}…`],
    [`${'so '.repeat(66)}\u{1F600}\u{1F600}`, `${'so '.repeat(66).trim()}…`],
  ])('is cut after 200 characters: %s', (body, line) => {
    expect(describeErrorBody('text/plain', body)).toBe(line);
  });

  test.each([
    [`${'<p>'.repeat(5_458)}the last`, 'the last'],
    [`${'<p>'.repeat(5_458)} the lastword`, 'the'],
    [`${'<p>'.repeat(5_458)}the\nlastword`, 'the'],
    ['x'.repeat(20_000), ''],
  ])('is read to the last whole word of its first 16 KiB', (body, line) => {
    expect(describeErrorBody('text/html', body)).toBe(line);
  });

  test('that is binary is not shown', () => {
    const line = 'a body that is not text';
    expect(describeErrorBody('application/octet-stream', 'abc')).toBe(line);
    for (const type of ['image/png', 'application/pdf', 'application/x-protobuf', 'Application/ZIP'])
      expect(describeErrorBody(type, 'abc')).toBe(line);
    expect(describeErrorBody('text/x-image/png', 'abc')).toBe('abc');
    expect(describeErrorBody(undefined, 'ab\u0000c')).toBe(line);
    expect(describeErrorBody(undefined, '\uFFFD\uFFFDab\uFFFD')).toBe(line);
    expect(describeErrorBody(undefined, `${'x'.repeat(9)}\uFFFD`)).toBe('xxxxxxxxx\uFFFD');
    expect(describeErrorBody(undefined, `${'x'.repeat(8)}\uFFFD`)).toBe(line);
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

  test('is cut where it is too long, between two characters', () => {
    const words = 'ab '.repeat(70);
    for (const length of [195, 196, 197, 198, 199, 200]) {
      const line = describeErrorBody('text/plain', `${words.slice(0, length)}${'\u{1F600}'.repeat(5)}`);
      expect(line.isWellFormed()).toBe(true);
      expect(line).toMatch(/^[ab ]+(\u{1F600})*…$/u);
      expect(line.length).toBeLessThanOrEqual(200);
      expect(line.length).toBeGreaterThanOrEqual(198);
    }
    expect(describeErrorBody('text/plain', words.slice(0, 200))).toBe(words.slice(0, 200));
    expect(describeErrorBody('text/plain', words.slice(0, 201).replace(/ $/, 'c'))).toBe(
      `${words.slice(0, 199).trimEnd()}…`,
    );
  });

  test('has no tags, and no marks that are not seen, whatever it came in', () => {
    expect(describeErrorBody(json, '{"detail":"the <b>key</b> is\u200b wrong\u2028now"}')).toBe(
      'the key is wrong now',
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
      failedAt: 'tls',
    });
  },
);

describe('a transport error', () => {
  const withCode = (code: unknown, cause?: unknown) =>
    Object.assign(new Error('unused', { cause }), { code });
  const several = (...errors: unknown[]) => Object.assign(new Error('unused'), { errors });

  test.each([
    [withCode('ETIMEDOUT'), true, 'connection timed out', 'network policy'],
    [withCode('ESOCKETTIMEDOUT'), true, 'connection timed out', 'network policy'],
    [withCode('ENOTFOUND'), false, 'host name not found', 'DNS', 'name'],
    [withCode('ECONNRESET'), false, 'the peer closed the connection', undefined],
    [withCode('CERT_HAS_EXPIRED'), false, 'certificate verification failed (CERT_HAS_EXPIRED)', 'CA', 'tls'],
    [
      withCode('ERR_TLS_CERT_ALTNAME_INVALID'),
      false,
      'the certificate is for another host name',
      'URL',
      'tls',
    ],
    [withCode('HPE_INVALID_CONSTANT'), false, 'the answer is not HTTP', 'proxy'],
    [withCode('EWEIRD_7'), false, 'connection failed (EWEIRD_7)', undefined],
    [withCode('MAX_HPE_'), false, 'connection failed (MAX_HPE_)', undefined],
    [withCode(undefined), false, 'connection failed', undefined],
    [withCode(7), false, 'connection failed', undefined],
    [withCode('key=abc'), false, 'connection failed', undefined],
    [withCode(`E${'X'.repeat(60)}`), false, 'connection failed', undefined],
    ['a text', false, 'connection failed', undefined],
    [withCode('ERR_BAD_REQUEST', withCode('EPIPE')), false, 'the peer closed the connection', undefined],
    [withCode('EPIPE', new Error('unused')), false, 'the peer closed the connection', undefined],
    [several(withCode('EHOSTUNREACH'), withCode('EPIPE')), false, 'host unreachable', 'proxy'],
    [several(), false, 'connection failed', undefined],
  ])('%j is described by the innermost known code', (thrown, timeout, words, hint, failedAt = undefined) => {
    expect(describeNetworkError(thrown, ' (host)')).toEqual({
      ...{ timeout, words: `${words} (host)` },
      ...(hint === undefined ? {} : { hint: expect.stringContaining(hint) }),
      failedAt,
    });
  });

  test('that is its own cause is described all the same', () => {
    const error = withCode('EPIPE');
    error.cause = error;
    expect(describeNetworkError(error).words).toBe('the peer closed the connection');
  });

  test.each([
    ['ETIMEDOUT', true],
    ['ECONNREFUSED', false],
  ])('of a proxy (%s) is what the proxy said, also as a cause', (code, timeout) => {
    const refused = new ProxyError(code, 'the proxy p:1 opened no tunnel');
    for (const thrown of [refused, new Error('unused', { cause: refused })]) {
      expect(describeNetworkError(thrown, ' (host)')).toEqual({
        ...{ timeout, words: 'the proxy p:1 opened no tunnel', hint: expect.stringContaining('NO_PROXY') },
        failedAt: 'proxy',
      });
    }
  });
});
