import { redactForeign, redactSecrets } from '../log/redact.ts';
import { ProxyError } from '../net/proxy.ts';
import type { FailedAt } from '../text/errors.ts';

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
  const text = redactSecrets(beginningOf(body), secrets).trim();
  if (NOT_TEXT.test(contentType ?? '') || isBinary(text)) return 'a body that is not text';
  const said = isMarkup(contentType, text) ? markupLine(text) : (jsonLine(text) ?? text);
  return clip(redactForeign(oneLine(said), secrets));
}

function beginningOf(body: string): string {
  if (body.length <= MAX_READ) return body;
  // The end may be half a secret, which no pattern matches, so the last word is dropped.
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

function nestedSentence(error: unknown): string | undefined {
  return textOf(error) ?? textOf(member(error, 'message')) ?? textOf(member(error, 'detail'));
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

/** A transport error in plain words, without the addresses or secrets of the original error. */
interface NetworkTrouble extends Words {
  readonly timeout: boolean;
}

const NAME_HINT = 'Check the host name in the configured URL, and DNS.';

const REACH_HINT = 'Check the configured URL, the network policy and the proxy.';

const CERTIFICATE_HINT =
  'If a private CA signs the traffic, set NODE_EXTRA_CA_CERTS to the file of its certificate.';

interface Words {
  readonly words: string;
  readonly hint?: string;
  readonly failedAt?: FailedAt;
}

const HANDSHAKE: Words = {
  failedAt: 'tls',
  words: 'TLS handshake failed',
  hint: 'Check whether the URL should begin with http or https.',
};

const WORDS: ReadonlyMap<string, Words> = new Map<string, Words>([
  ['ECONNREFUSED', { words: 'connection refused', hint: REACH_HINT }],
  ['ECONNRESET', { words: 'the peer closed the connection' }],
  ['EPIPE', { words: 'the peer closed the connection' }],
  ['ENOTFOUND', { words: 'host name not found', hint: NAME_HINT, failedAt: 'name' }],
  ['EAI_AGAIN', { words: 'host name temporarily not found', hint: NAME_HINT, failedAt: 'name' }],
  ['EHOSTUNREACH', { words: 'host unreachable', hint: REACH_HINT }],
  ['ENETUNREACH', { words: 'network unreachable', hint: REACH_HINT }],
  ['EPROTO', HANDSHAKE],
  // Of a tunnel that already has an answer which is not TLS.
  ['ERR_SSL_WRONG_VERSION_NUMBER', HANDSHAKE],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    {
      failedAt: 'tls',
      words: 'the certificate is for another host name',
      hint: 'Check the host name in the configured URL.',
    },
  ],
]);

const PROXY_HINT =
  'Check HTTPS_PROXY and NO_PROXY, and that the proxy accepts its credentials and this host.';

/**
 * Describes a thrown transport error by its code alone; `where` is appended to the words, and names the address and a proxy that was
 * used.
 */
export function describeNetworkError(thrown: unknown, where = ''): NetworkTrouble {
  const ofProxy = proxyErrorIn(thrown);
  if (ofProxy !== undefined)
    return {
      timeout: ofProxy.code === 'ETIMEDOUT',
      words: ofProxy.message,
      hint: PROXY_HINT,
      failedAt: 'proxy',
    };
  const { words, ...rest } = describeCode(codeOf(thrown));
  return { words: `${words}${where}`, ...rest };
}

function describeCode(code: string): NetworkTrouble {
  if (code === 'ETIMEDOUT' || code === 'ESOCKETTIMEDOUT') {
    return { timeout: true, words: 'connection timed out', hint: REACH_HINT };
  }
  const known = WORDS.get(code);
  if (known !== undefined) return { timeout: false, ...known };
  if (/CERT|SELF_SIGNED|LEAF_SIGNATURE/.test(code)) {
    const words = `certificate verification failed (${code})`;
    return { timeout: false, words, hint: CERTIFICATE_HINT, failedAt: 'tls' };
  }
  if (code.startsWith('HPE_')) return { timeout: false, words: 'the answer is not HTTP', hint: REACH_HINT };
  return { timeout: false, words: code === '' ? 'connection failed' : `connection failed (${code})` };
}

function proxyErrorIn(thrown: unknown): ProxyError | undefined {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return [thrown, cause].find((error) => error instanceof ProxyError);
}

// An AxiosError wraps the socket's error, and that may wrap one error per address tried.
function codeOf(thrown: unknown): string {
  let best = '';
  let current: unknown = thrown;
  for (let depth = 0; depth < 4 && current instanceof Error; depth += 1) {
    const code: unknown = Reflect.get(current, 'code');
    if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,50}$/.test(code)) best = code;
    const errors: unknown = Reflect.get(current, 'errors');
    current = current.cause ?? (Array.isArray(errors) ? errors[0] : undefined);
  }
  return best;
}
