import { describe, expect, test } from 'vitest';
import { createAnswerReader } from '../../bench/load/answer.ts';

const DECLARED = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde';
const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n';

describe('the reader of answers', () => {
  test.each([
    ['a declared length', DECLARED],
    ['chunks', CHUNKED],
  ])('finds the end of a body with %s, wherever it is divided', (_, answer) => {
    for (let length = 1; length <= answer.length; length++) {
      const reader = createAnswerReader();
      const ends: boolean[] = [];
      for (let at = 0; at < answer.length; at += length)
        ends.push(reader.endsWith(Buffer.from(answer.slice(at, at + length))));
      expect(ends.lastIndexOf(true)).toBe(ends.length - 1);
      expect(ends.filter(Boolean)).toHaveLength(1);
    }
  });

  test('reads one answer after the other', () => {
    const reader = createAnswerReader();
    expect([DECLARED, CHUNKED, DECLARED].map((text) => reader.endsWith(Buffer.from(text)))).toEqual([
      true,
      true,
      true,
    ]);
  });

  test.each(['HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\n'])(
    'refuses %j',
    (text) => {
      expect(() => createAnswerReader().endsWith(Buffer.from(text))).toThrow('not an answer to a scrape');
    },
  );
});
