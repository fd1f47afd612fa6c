import { createHash } from 'node:crypto';

/** The most characters (code points) of a label value. */
export const MAX_LABEL_CHARACTERS = 256;

const DIGEST_DIGITS = 8;

/** What nearly all values are: they take the short way. */
const PLAIN = /^[\x20-\x7e]*$/;

/** The presentation of an emoji, which belongs to it. */
const PRESENTATION = String.raw`(?<=\p{Emoji})[\ufe0e\ufe0f]`;

/** A joiner between two letters or two parts of an emoji, all of which show. */
const JOINER = String.raw`(?<=(?!\p{DI})[\p{L}\p{M}\p{ExtPict}\p{EMod}]|\p{Emoji}\ufe0f)[\u200c\u200d](?=(?!\p{DI})[\p{L}\p{ExtPict}])`;

/**
 * Control, bidirectional and zero-width characters, line separators and lone surrogates: they show as nothing, or
 * change how their neighbours show.
 */
const UNPRINTABLE = new RegExp(
  String.raw`(?!${JOINER}|${PRESENTATION})[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{DI}\ufff9-\ufffb]`,
  'gu',
);

/**
 * The one form in which a text becomes a label value: at most 256 characters, all of them printable. A value that is
 * shortened or changed ends with `~` and eight hexadecimal digits of a digest of its original, whatever other values
 * there are: so different texts stay different labels, and a new one never renames another. What is a label value
 * already stays as it is.
 */
export function labelValue(original: string): string {
  if (isLabelValue(original)) return original;
  const kept = MAX_LABEL_CHARACTERS - DIGEST_DIGITS - 1;
  // Twice as many units hold at least that many characters; splitting them all could be as long as an answer.
  const start = Array.from(original.slice(0, 2 * MAX_LABEL_CHARACTERS))
    .slice(0, kept)
    .join('');
  return replaced(withDigest(start, original));
}

/** Whether a text is a label value as it is. */
export function isLabelValue(text: string): boolean {
  if (text.length <= MAX_LABEL_CHARACTERS && PLAIN.test(text)) return true;
  if (text.length > 2 * MAX_LABEL_CHARACTERS || Array.from(text).length > MAX_LABEL_CHARACTERS) return false;
  return replaced(text) === text;
}

/** A shown text with the digest of what it stands for. */
export function withDigest(shown: string, original: string): string {
  const digest = createHash('sha256').update(original, 'utf16le').digest('hex');
  return `${shown}~${digest.slice(0, DIGEST_DIGITS)}`;
}

/** Whether a value ends as one with a digest does. */
export function endsWithDigest(value: string): boolean {
  return value.at(-DIGEST_DIGITS - 1) === '~' && /~[0-9a-f]+$/.test(value);
}

function replaced(text: string): string {
  return text.replaceAll(UNPRINTABLE, '\ufffd');
}
