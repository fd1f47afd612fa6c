import { createHash } from 'node:crypto';

/** Maximum length of a label value in characters (code points). */
export const MAX_LABEL_CHARACTERS = 256;

const DIGEST_DIGITS = 8;

/** In code units; no character is composed of more than four. */
const MAX_DECOMPOSED = 4 * 2 * MAX_LABEL_CHARACTERS;

/** Fast path: nearly all values are printable ASCII. */
const PLAIN = /^[\x20-\x7e]*$/;

/** An emoji's variation selector. */
const PRESENTATION = String.raw`(?<=\p{Emoji})[\ufe0e\ufe0f]`;

/** A joiner between two visible letters or parts of an emoji. */
const JOINER = String.raw`(?<=(?!\p{DI})[\p{L}\p{M}\p{ExtPict}\p{EMod}]|\p{Emoji}\ufe0f)[\u200c\u200d](?=(?!\p{DI})[\p{L}\p{ExtPict}])`;

/**
 * Control, bidirectional and zero-width characters, line separators and lone surrogates: they are invisible or change
 * how neighbouring characters are displayed.
 */
const UNPRINTABLE = new RegExp(
  String.raw`(?!${JOINER}|${PRESENTATION})[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{DI}\ufff9-\ufffb]`,
  'gu',
);

/**
 * Converts a text to a label value of at most 256 printable characters, in normal form C: names that are composed in different
 * ways are equal. A shortened or otherwise changed value ends with `~` and eight hexadecimal digits of a digest of the original,
 * so that different texts stay different labels and a new one never renames another. A valid label value is returned unchanged.
 */
export function labelValue(text: string): string {
  if (isLabelValue(text)) return text;
  // A longer one is too long in any form.
  const original = text.length <= MAX_DECOMPOSED ? text.normalize() : text;
  if (isLabelValue(original)) return original;
  const kept = MAX_LABEL_CHARACTERS - DIGEST_DIGITS - 1;
  // A character has at most two code units, so this prefix suffices; the whole text can be as long as a response.
  const start = Array.from(original.slice(0, 2 * MAX_LABEL_CHARACTERS).normalize())
    .slice(0, kept)
    .join('');
  return replaced(withDigest(start, original));
}

/** Reports whether a text is a valid label value. */
export function isLabelValue(text: string): boolean {
  if (text.length <= MAX_LABEL_CHARACTERS && PLAIN.test(text)) return true;
  if (text.length > 2 * MAX_LABEL_CHARACTERS || Array.from(text).length > MAX_LABEL_CHARACTERS) return false;
  return replaced(text) === text && text.normalize() === text;
}

/** Appends a digest of the original to a displayed text. */
export function withDigest(shown: string, original: string): string {
  const digest = createHash('sha256').update(original, 'utf16le').digest('hex');
  return `${shown}~${digest.slice(0, DIGEST_DIGITS)}`;
}

/** Reports whether a value ends with a digest. */
export function endsWithDigest(value: string): boolean {
  return value.at(-DIGEST_DIGITS - 1) === '~' && /~[0-9a-f]+$/.test(value);
}

function replaced(text: string): string {
  return text.replaceAll(UNPRINTABLE, '\ufffd');
}
