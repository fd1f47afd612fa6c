/** The maximum memory per byte of a body: the byte, its character in a two-byte string, and its part of the parsed value. */
const BYTE = 4;

/**
 * The memory that parsing allocates for a byte outside of strings, in bytes, measured with V8: for an array, an object with new or
 * numeric keys, a member, a value, a string, and the text that replaces NaN or Infinity.
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

/** The place of a byte: outside of strings, in a string, or behind a backslash in a string. */
const OUTSIDE = 0;
const STRING = 1;
const ESCAPED = 2;

/** For each place and byte: the place of the next byte (two bits), and the memory above. Twice as fast as branches. */
const STEPS = Uint16Array.from({ length: 3 * 256 }, (_, index) => {
  const place = index >> 8;
  const char = String.fromCharCode(index & 0xff);
  if (place === OUTSIDE) return ((TOKENS[char] ?? 0) << 2) | (char === '"' ? STRING : OUTSIDE);
  if (place === ESCAPED || (char !== '"' && char !== '\\')) return STRING;
  return char === '"' ? OUTSIDE : ESCAPED;
});

/**
 * Creates a function that estimates the memory of one JSON text while it arrives: it takes the next bytes and returns the memory
 * that all bytes so far need, as text and parsed. Brackets need a hundred times their size. The estimate knows strings and no other
 * syntax, because a parser stops at the first syntax error.
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

/** The result of parsing: the value; or no JSON, with `isCut` if the text is only the beginning of JSON. */
export type ParsedText = { readonly value: unknown } | { readonly isCut: boolean };

/** Parses JSON. Skips a byte order mark, and reads NaN and Infinity in place of numbers as infinite. */
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

/** The words that some servers send for numbers that JSON cannot represent. */
const BARE_NUMBER = /-?\b(?:NaN|Infinity)\b/g;

/**
 * Replaces each NaN and Infinity outside of strings by an infinite number, so that only their field is lost and not the answer.
 * Skips strings character by character: a pattern would take unbounded time on a text that ends within a string.
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

/** Whether a text is the beginning of JSON: the parser failed at its end. */
function isCutShort(text: string, thrown: unknown): boolean {
  if (text.trim() === '' || !(thrown instanceof SyntaxError)) return false;
  const [, position] = /position (\d+)/.exec(thrown.message) ?? [];
  return position === undefined
    ? thrown.message.includes('end of JSON input')
    : Number(position) >= text.length;
}
