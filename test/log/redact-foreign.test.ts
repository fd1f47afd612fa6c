import { describe, expect, test } from 'vitest';
import { redactSecrets } from '../../src/log/redact.ts';

const SECRET = 'k/ey"1234+secret';

describe('a text from elsewhere does not show a known secret', () => {
  test.each([
    ['as it is', SECRET],
    ['in another case', SECRET.toUpperCase()],
    ['in a URL', encodeURIComponent(SECRET)],
    ['in JSON', JSON.stringify(SECRET).slice(1, -1)],
    ['in base64', Buffer.from(SECRET).toString('base64url')],
    ['cut off', `${SECRET.slice(0, 8)}…`],
  ])('%s', (_, spelling) => {
    expect(redactSecrets(`the key ${spelling} is wrong`, ['', 'another', SECRET])).toBe(
      'the key *** is wrong',
    );
  });
});

test('a text without secrets stays as it is', () => {
  expect(redactSecrets('nothing is known', [])).toBe('nothing is known');
  expect(redactSecrets('nothing is known', [''])).toBe('nothing is known');
});
