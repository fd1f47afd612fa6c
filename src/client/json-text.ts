/** The memory that a byte of a body takes at most: as it came, as text of two bytes a character, and as part of a value. */
const BYTE = 4;

/**
 * The memory that a byte outside of strings stands for, measured with V8: an array, an object of new or numeric keys, a
 * member, a value, a string, and the replacement of what JSON does not have.
 */
const TOKENS: Readonly<Record<string, number>> = {
  '[': 96,
  '{': 160,
  ':': 64,
  ',': 24,
  '"': 32,
  N: 128,
  I: 128,
};

/** Where a byte is: outside of strings, in one, or behind a backslash in one. */
const OUTSIDE = 0;
const STRING = 1;
const ESCAPED = 2;

/** For each place and byte, the place of the next byte, and above that the memory: a look-up takes half the time of branches. */
const STEPS = Uint16Array.from({ length: 3 * 256 }, (_, index) => {
  const place = index >> 8;
  const char = String.fromCharCode(index & 0xff);
  if (place === OUTSIDE) return ((TOKENS[char] ?? 0) << 2) | (char === '"' ? STRING : OUTSIDE);
  if (place === ESCAPED || (char !== '"' && char !== '\\')) return STRING;
  return char === '"' ? OUTSIDE : ESCAPED;
});

/**
 * Creates the scale of one JSON text, which takes the next bytes of it and returns how much memory all of them need so far,
 * as they are and parsed: of brackets, a hundred times their size. It knows strings, and nothing else of the syntax: a
 * parser stops where that is broken.
 */
export function createJsonScale(): (bytes: Uint8Array) => number {
  let weight = 0;
  let last = OUTSIDE;
  return (bytes) => {
    let place = last;
    let tokens = 0;
    for (let index = 0; index < bytes.length; index += 1) {
      const step = STEPS[(place << 8) | (bytes[index] ?? 0)] ?? 0;
      place = step & 3;
      tokens += step >> 2;
    }
    last = place;
    weight += tokens + BYTE * bytes.length;
    return weight;
  };
}

/** What a text of JSON is: a value, or no JSON, where `isCut` says that it is the beginning of one. */
export type ParsedText = { readonly value: unknown } | { readonly isCut: boolean };

/** Parses a text of JSON. A byte order mark is skipped; NaN and Infinity in place of numbers are infinite. */
export function parseText(body: string): ParsedText {
  const text = body.charCodeAt(0) === 0xfeff ? body.slice(1) : body;
  try {
    return { value: JSON.parse(text) };
  } catch (thrown) {
    const usual = withoutBareNumbers(text);
    return usual === text ? { isCut: isCutShort(text, thrown) } : parseUsual(usual);
  }
}

function parseUsual(text: string): ParsedText {
  try {
    return { value: JSON.parse(text) };
  } catch (thrown) {
    return { isCut: isCutShort(text, thrown) };
  }
}

/** What some servers send for numbers that JSON cannot represent. */
const BARE_NUMBER = /-?\b(?:NaN|Infinity)\b/g;

/**
 * The text with an infinite number for each NaN and Infinity outside of strings, so that they cost their field and not the
 * answer. Strings are skipped character by character: a pattern for them takes time without bound in a text that ends
 * within one.
 */
function withoutBareNumbers(text: string): string {
  const parts: string[] = [];
  let copied = 0;
  let at = 0;
  let isInString = false;
  for (const { 0: word, index } of text.matchAll(BARE_NUMBER)) {
    for (; at < index; at += 1) {
      const char = text[at];
      if (char === '"') isInString = !isInString;
      else if (char === '\\') at += 1;
    }
    if (isInString) continue;
    parts.push(text.slice(copied, index), '1e999');
    copied = index + word.length;
  }
  parts.push(text.slice(copied));
  return parts.join('');
}

/** Whether a text is the beginning of JSON: what was wrong with it is its end. */
function isCutShort(text: string, thrown: unknown): boolean {
  if (text.trim() === '' || !(thrown instanceof SyntaxError)) return false;
  const [, position] = /position (\d+)/.exec(thrown.message) ?? [];
  return position === undefined
    ? thrown.message.includes('end of JSON input')
    : Number(position) >= text.length;
}
