import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { textOf, unreadable } from '../../src/files/text-file.ts';

function reasonOf(bytes: Buffer): string | undefined {
  try {
    textOf(bytes);
    return undefined;
  } catch (error) {
    return unreadable(error);
  }
}

describe('the bytes of a file', () => {
  test('are any text in UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(textOf(Buffer.from(text))).toBe(text);
      }),
    );
  });

  test.each([
    ['a name of Windows-1252', Buffer.from('a\nb\nM\xfcnchen\n', 'latin1'), 3],
    ['the same behind line breaks of Windows', Buffer.from('a\r\nM\xfcnchen\r\n', 'latin1'), 2],
    ['a character that the end of its line cuts', Buffer.from('M\xc3\nnchen', 'latin1'), 1],
    ['a character that the end of the file cuts', Buffer.from('a\nM\xc3', 'latin1'), 2],
    ['UTF-16', Buffer.from('\ufeffa,b\n', 'utf16le'), 1],
    ['an overlong form', Buffer.from([0x0a, 0xc0, 0x80]), 2],
    ['half of a surrogate pair', Buffer.from([0xed, 0xa0, 0x80]), 1],
  ])('are refused with their line where they are %s', (_, bytes, line) => {
    expect(reasonOf(bytes)).toBe(`is not valid UTF-8 in line ${line}: save it in that encoding`);
  });
});
