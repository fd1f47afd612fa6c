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
