import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLabelValue, labelValue } from '../../src/catalog/label.ts';

const CHANGED = /~[0-9a-f]{8}$/;

describe('a label value', () => {
  test.each([
    ['plain text', 'mcp__docs__search v2'],
    ['nothing', ''],
    ['other scripts', 'Größe 東京 δοκιμή'],
    ['a joiner between letters', 'می\u200cخواهم'],
    ['a joiner between the parts of an emoji', '👩‍💻 ❤️‍🔥 👩🏽‍🚀'],
    ['a presentation of an emoji', '✈️ #️⃣'],
    ['256 characters', 'x'.repeat(256)],
    ['256 characters of two units each', '😀'.repeat(256)],
    ['what was changed before', labelValue('a\u202eb')],
  ])('is %s as it is', (_, text) => {
    expect(labelValue(text)).toBe(text);
  });

  test.each([
    ['a control character', 'a\u0007b'],
    ['a line break', 'a\nb'],
    ['a control character of the second kind', 'a\u0085b'],
    ['a bidirectional override', 'a\u202eb'],
    ['a bidirectional isolate', 'a\u2066b'],
    ['a mark of direction', 'a\u200fb'],
    ['a zero-width space', 'a\u200bb'],
    ['a word joiner', 'a\u2060b'],
    ['a byte order mark', 'a\ufeffb'],
    ['a soft hyphen', 'a\u00adb'],
    ['a line separator', 'a\u2028b'],
    ['half of a pair of surrogates', 'a\ud800b'],
    ['the other half', 'a\udc00b'],
    ['a tag', 'a\u{e0041}b'],
    ['an annotation', 'a\ufff9b'],
  ])('shows %s, and says by a digest that it was changed', (_, text) => {
    const label = labelValue(text);
    expect(label).toMatch(/^a\ufffdb~[0-9a-f]{8}$/);
    expect(label).not.toBe(labelValue('ab'));
    expect(label).not.toBe(labelValue('a\u0001b'));
  });

  test.each(['a\u200d', '\u200da', '1\u200d2', 'a\u200d\u200db', 'a\ufe0f'])(
    'shows a joiner that joins nothing: %j',
    (text) => {
      expect(labelValue(text)).toMatch(CHANGED);
      expect(labelValue(text)).toContain('\ufffd');
    },
  );

  test.each([
    ['Gru\u0308n', 'Gr\u00fcn'],
    ['\u1112\u1161\u11ab', '\ud55c'],
    [`${'u\u0308'.repeat(256)}`, '\u00fc'.repeat(256)],
    ['\u212b', '\u00c5'],
  ])('is the same for names that are composed in different ways: %s', (decomposed, composed) => {
    expect([labelValue(decomposed), labelValue(composed)]).toEqual([composed, composed]);
    expect([isLabelValue(decomposed), isLabelValue(composed)]).toEqual([false, true]);
    const long = 'x'.repeat(256);
    expect(labelValue(`${long}${decomposed}`)).toBe(labelValue(`${long}${composed}`));
  });

  test('carries the digest of its own original, however it was shortened', () => {
    const long = 'x'.repeat(256);
    const [one, two] = [labelValue(`${long}1`), labelValue(`${long}2`)];
    expect(one).toMatch(/^x{247}~[0-9a-f]{8}$/);
    expect(one).not.toBe(two);
    expect(labelValue('😀'.repeat(300))).toMatch(/^(😀){247}~[0-9a-f]{8}$/u);
    expect(labelValue(`${'x'.repeat(100_000)}1`)).not.toBe(labelValue(`${'x'.repeat(100_000)}2`));
    const joined = labelValue(`${'x'.repeat(245)}a\u200d${'b'.repeat(50)}`);
    expect(joined).toMatch(/^x{245}a\ufffd~[0-9a-f]{8}$/);
  });

  test('is at most 256 printable characters, and stays what it is', () => {
    const units = fc.array(
      fc.oneof(
        fc.integer({ min: 0, max: 0xffff }),
        fc.constantFrom(0x200d, 0xfe0f, 0xd83d, 0xde00, 0x61, 0x202e),
      ),
      { maxLength: 700 },
    );
    fc.assert(
      fc.property(units, (codes) => {
        const text = String.fromCharCode(...codes);
        const label = labelValue(text);
        expect(Array.from(label).length).toBeLessThanOrEqual(256);
        expect(label.isWellFormed()).toBe(true);
        expect(label).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u);
        expect([isLabelValue(label), labelValue(label)]).toEqual([true, label]);
        if (label !== text.normalize()) expect(label).toMatch(CHANGED);
      }),
      { numRuns: 1000 },
    );
  });
});
