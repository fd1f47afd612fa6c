import { redactForeign, redactSecrets } from '../log/redact.ts';

const MAX_READ = 16 * 1024;
const MAX_LINE = 200;
const NOT_TEXT = /octet-stream|^(image|audio|video|font)\/|zip|pdf|protobuf|msgpack/i;

/**
 * The message in the body of a failed answer, as one line of at most 200 characters without control characters, markup
 * or secrets (`secrets`: the known ones); empty if there is none. Understands the platform's two error formats,
 * `errors[].message`, `error.message`, HTML and plain text.
 */
export function describeErrorBody(
  contentType: string | undefined,
  body: string,
  secrets: readonly string[] = [],
): string {
  const text = redactSecrets(withoutCutWord(body), secrets).trim();
  if (NOT_TEXT.test(contentType ?? '') || isBinary(text)) return 'a body that is not text';
  const said = isMarkup(contentType, text) ? markupLine(text) : (jsonLine(text) ?? text);
  return clip(redactForeign(oneLine(said), secrets));
}

/** Cuts a body to the limit, without its last word: this may be half a secret, which no pattern for redaction matches. */
function withoutCutWord(body: string): string {
  if (body.length <= MAX_READ) return body;
  const beginning = body.slice(0, MAX_READ);
  return beginning.slice(0, Math.max(beginning.lastIndexOf(' '), beginning.lastIndexOf('\n'), 0));
}

function isBinary(text: string): boolean {
  return text.includes('\u0000') || (text.match(/\uFFFD/g)?.length ?? 0) > text.length / 10;
}

function isMarkup(contentType: string | undefined, text: string): boolean {
  return text.startsWith('<') || (/html|xml/i.test(contentType ?? '') && !text.startsWith('{'));
}

function markupLine(text: string): string {
  const title = /<title[^<>]*>([^<]*)</i.exec(text)?.[1]?.trim();
  if (title) return unescaped(title);
  const visible = text.replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, ' ').replace(/<[^<>]*>?/g, ' ');
  return unescaped(visible);
}

function unescaped(text: string): string {
  return text
    .replace(/&#(?:64|x40);|&commat;/gi, '@')
    .replace(/&lt;|&gt;/g, ' ')
    .replace(/&nbsp;/g, ' ')
    .replace(/&quot;|&#34;/g, '"')
    .replace(/&apos;|&#39;|&#x27;/gi, "'")
    .replace(/&amp;/g, '&');
}

/** The message in a JSON body; undefined if it neither is JSON nor looks like the beginning of JSON. */
function jsonLine(text: string): string | undefined {
  try {
    return sentenceOf(JSON.parse(text)) ?? '';
  } catch {
    if (!/^[{[]/.test(text)) return undefined;
    return /"(?:detail|message|title)"\s*:\s*"([^"\\]{1,300})"/.exec(text)?.[1] ?? '';
  }
}

function sentenceOf(body: unknown): string | undefined {
  if (typeof body === 'string') return body;
  const title = textOf(member(body, 'title'));
  const detail = textOf(member(body, 'detail'));
  if (title !== undefined && detail !== undefined) return `${title}: ${detail}`;
  const flat = detail ?? title ?? textOf(member(body, 'message'));
  return flat ?? nestedSentence(member(body, 'error')) ?? firstSentences(member(body, 'errors'));
}

/** What an error says, after its code for programs, which stays the same where the words change. */
function nestedSentence(error: unknown): string | undefined {
  const said = textOf(error) ?? textOf(member(error, 'message')) ?? textOf(member(error, 'detail'));
  const code = textOf(member(member(error, 'details'), 'error_code'));
  return said === undefined || code === undefined ? said : `${code}: ${said}`;
}

function firstSentences(errors: unknown): string | undefined {
  if (!Array.isArray(errors)) return undefined;
  const sentences = errors
    .slice(0, 3)
    .map(nestedSentence)
    .filter((sentence) => sentence !== undefined);
  return sentences.length === 0 ? undefined : sentences.join('; ');
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function oneLine(text: string): string {
  return text
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\p{Cf}+/gu, '')
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim();
}

function clip(line: string): string {
  if (line.length <= MAX_LINE) return line;
  return `${line
    .slice(0, MAX_LINE - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, '')
    .trimEnd()}…`;
}
