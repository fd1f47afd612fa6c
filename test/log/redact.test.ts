import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor, redactHashesAndKeys } from '../../src/log/redact.ts';

const without = createRedactor(() => []);

/** Values that no pattern recognizes as secrets. */
const secrets = fc
  .string({ unit: 'binary', minLength: 4, maxLength: 60 })
  .filter((text) => text.trim().length >= 4 && !/^\*+$/.test(text.trim()));

describe('a known secret', () => {
  test('is masked wherever it occurs, whatever it looks like', () => {
    fc.assert(
      fc.property(secrets, fc.string(), fc.string(), (secret, before, after) => {
        const redactor = createRedactor(() => [secret]);
        expect(redactor.redact(`${before}${secret}${after}${secret}`)).not.toContain(secret.trim());
      }),
    );
  });

  test('is masked in the spellings of URLs, JSON and base64', () => {
    const secret = 'k/ey+"with" marks=1';
    const redactor = createRedactor(() => [secret]);
    for (const spelling of [
      encodeURIComponent(secret),
      encodeURIComponent(secret).replace(/%2F/, '%2f'),
      JSON.stringify({ secret }),
      btoa(secret),
      Buffer.from(secret).toString('base64url'),
    ]) {
      expect(redactor.redact(`x ${spelling} y`)).toMatch(/\*\*\*/);
    }
    expect(redactor.redact(JSON.stringify({ secret }))).toBe('{"secret":"***"}');
  });

  test('is known as soon as the source returns it, and stays known after a rotation', () => {
    let current = ['first-key-0001'];
    const redactor = createRedactor(() => current);
    expect(redactor.redact('sent first-key-0001')).toBe('sent ***');
    current = ['second-key-0002'];
    expect(redactor.redact('first-key-0001 became second-key-0002')).toBe('*** became ***');
  });

  test('can be remembered even if the source never returned it to a call', () => {
    const redactor = createRedactor(() => []);
    redactor.remember(' gone-key-0003\n');
    expect(redactor.redact('late answer for gone-key-0003')).toBe('late answer for ***');
  });

  test('is masked however many there are, and so are the newest that were rotated', () => {
    const keysOf = (name: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${name}-key-${String(index).padStart(4, '0')}`);
    let current = keysOf('first', 500);
    const redactor = createRedactor(() => current);
    const shown = (keys: readonly string[]) => keys.filter((key) => redactor.redact(key) !== '***');
    expect(shown(current)).toEqual([]);
    const before = current;
    current = keysOf('second', 500);
    expect(shown(current)).toEqual([]);
    expect(shown(before)).toEqual(before.slice(0, 300));
  });

  test('masks the longer of two secrets of which one contains the other', () => {
    const redactor = createRedactor(() => ['abcd', 'abcdefgh']);
    expect(redactor.redact('abcdefgh abcd')).toBe('*** ***');
  });

  test('is ignored if it is too short to be one', () => {
    expect(createRedactor(() => ['', ' ', 'abc']).redact('abc of the alphabet')).toBe('abc of the alphabet');
  });
});

describe('credentials of any kind', () => {
  test.each([
    ['Authorization: Bearer fk-1234.abcd', 'Authorization: Bearer ***'],
    ['{"authorization":"Bearer fk-1234"}', '{"authorization":"Bearer ***"}'],
    ['authorization=Basic dXNlcjpwdw==', 'authorization=Basic ***'],
    ['authorization: fk-1234', 'authorization: ***'],
    ['x-api-key: 12345', 'x-api-key: ***'],
    ['sent bearer fk-1', 'sent bearer ***'],
    ['GET /a?api_key=12&page=2', 'GET /a?api_key=***&page=2'],
    ['{"password":"hunter2","user":1}', '{"password":"***","user":1}'],
    ['postgres://svc:p%40ss@db:5432/x', 'postgres://***@db:5432/x'],
    ['https://user@example.com/', 'https://***@example.com/'],
    ['https://user:p/w?x#y@example.com/', 'https://***@example.com/'],
  ])('%s', (text, shown) => {
    expect(without.redact(text)).toBe(shown);
    expect(without.redact(shown)).toBe(shown);
  });

  test('are masked in a URL, whatever characters its password has', () => {
    const word = fc
      .stringMatching(/^[A-Za-z][\w.~!$&'()*+,;=%/?#@:-]{3,30}$/)
      .filter((text) => !/^\w*$/.test(text));
    fc.assert(
      fc.property(word, (password) => {
        expect(without.redact(`failed https://svc:${password}@api.example.com/v1`)).not.toContain(password);
      }),
    );
  });
});

describe('an e-mail address', () => {
  test.each([
    ['user jo.doe+x@acme.example is unknown', 'user *** is unknown'],
    ["<o'brien@acme.com>", '<***>'],
    ['/users?email=jo%40acme.com&x=1', '/users?email=***&x=1'],
    ['ä.ö@bücher.example', '***'],
    ['"jo doe"@acme.com', '***'],
  ])('%s', (text, shown) => {
    expect(without.redact(text)).toBe(shown);
  });

  test('is masked in any text', () => {
    fc.assert(
      fc.property(fc.emailAddress(), fc.lorem(), (address, text) => {
        expect(without.redact(`${text} ${address}, ${text}`)).not.toContain(address);
      }),
    );
  });
});

test('does not change plain operational text', () => {
  for (const text of [
    'collector tokens: 3 rows rejected',
    'GET https://api.example.com:8443/api/v1/analytics/tokens?from=2026-11-01',
    'express@5.3.0 on node 24',
    'set AGENT_PLATFORM_API_KEY or api_key_file',
    'no bearer token was presented',
    '2026-11-20T10:00:00.000Z',
  ]) {
    expect(without.redact(text)).toBe(text);
  }
});

// Two million characters take some milliseconds in linear time, and half an hour in quadratic time, so that the time limit
// of the test, which is meant for hanging tests, decides.
test.each(['a', '://a:', 'a@', 'Bearer ', '"', 'authorization:  ', '%40', 'a.'])(
  'takes linear time on hostile text: %j',
  (piece) => {
    expect(without.redact(piece.repeat(2_000_000 / piece.length))).toBeTypeOf('string');
  },
);

test('hashes and keys quoted in an error are masked', () => {
  const hash = `$2y$10$${'a'.repeat(53)}`;
  expect(redactHashesAndKeys(`users.yml: ${hash} is not a name`)).toBe('users.yml: *** is not a name');
  expect(redactHashesAndKeys('not a path: -----BEGIN PRIVATE KEY-----\nMIIE')).toBe('not a path: ***');
});
