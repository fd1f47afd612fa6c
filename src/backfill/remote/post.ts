import { createAgentPool } from '../../net/agents.ts';
import { sendByAxios } from '../../net/axios-transport.ts';
import { beginningOf, type HttpAnswer, HttpClient } from '../../net/http-client.ts';
import type { ProxySettings } from '../../net/proxy.ts';

/** The sender of write requests. */
export interface Post {
  /** Sends a compressed one; rejects with an `HttpError` if there is no answer. */
  (body: Uint8Array, signal: AbortSignal): Promise<Answer>;
  /** Closes its connections. */
  close(): void;
}

interface PostDeps {
  readonly url: string;
  /** Credentials and additional headers. Called before each request, so that a rotated secret applies to the next one. */
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  /** CA certificates (PEM) that are trusted instead of the default ones; called like `headers`. */
  readonly ca?: () => Promise<string | undefined>;
  /** The proxies, not used for the local machine. */
  readonly proxy?: ProxySettings | undefined;
  readonly timeoutMs: number;
  readonly concurrency: number;
  readonly version: string;
  /** Reads a `Retry-After` header as milliseconds from now. */
  readonly retryAfter: (header: string | undefined) => number | undefined;
}

const EXCERPT_LENGTH = 4096;

/** Creates the sender of write requests to one URL. Redirects are not followed. */
export function createPost(deps: PostDeps): Post {
  const { timeoutMs, proxy, concurrency: maxSockets } = deps;
  const url = new URL(deps.url);
  const agents = createAgentPool({ keepAlive: true, maxSockets, limitMs: timeoutMs, proxy });
  const client = new HttpClient({
    agents,
    transport: sendByAxios,
    words: { late: 'timeout', unknown: 'connection failed' },
  });

  async function read({ status, header, stream }: HttpAnswer): Promise<Answer> {
    // The rest is read and discarded, so that the connection can be reused.
    const text = (await beginningOf(stream, EXCERPT_LENGTH, true)).slice(0, EXCERPT_LENGTH);
    const retryAfterMs = deps.retryAfter(header('retry-after'));
    return { status, contentType: header('content-type'), text, retryAfterMs };
  }

  async function post(body: Uint8Array, signal: AbortSignal): Promise<Answer> {
    const headers = {
      ...(await deps.headers()),
      'Content-Type': 'application/x-protobuf',
      'Content-Encoding': 'snappy',
      'User-Agent': `agent-platform-exporter/${deps.version}`,
      'X-Prometheus-Remote-Write-Version': '0.1.0',
    };
    const ca = await deps.ca?.();
    return client.send({ method: 'POST', url, headers, body, ca, timeoutMs, signal }, read);
  }

  return Object.assign(post, { close: () => client.close() });
}

/** An answer of the target. */
export interface Answer {
  readonly status: number;
  readonly contentType?: string | undefined;
  /** The beginning of the body. */
  readonly text: string;
  /** The wait that the target demands, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** The meaning of an answer to a write request; `words` and `hint` contain nothing of the request. */
export type AnswerClass =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'later'; readonly words: string; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'refused'; readonly words: string; readonly hint: string };

/** In the words of Prometheus, Mimir, Cortex and VictoriaMetrics. */
const TOO_OLD = /too old sample|timestamp is too old|out of bounds|out[ -]of[ -]order|too far in the past/i;
const OTHER_VALUE = /duplicate sample|same timestamp/i;
/** With this word alone, Thanos answers 409 to samples out of order. */
const CONFLICT = /\bconflict\b/i;
const OTHER_VALUE_HINT =
  'The target already has another value for a sample. docs/backfill.md describes how to correct a day.';
const TOO_OLD_HINT =
  'The target rejects samples of this age. In Prometheus, set storage.tsdb.out_of_order_time_window to more than the age of the oldest day and reload, in Mimir limits.out_of_order_time_window; or start later with --from; or write blocks, see docs/backfill.md.';
const PAGE_HINT =
  'Check the URL, and that no login page or proxy answers for it. Nothing of this request counts as sent.';

/**
 * Classifies an answer. Rejections are recognized by their text first: Prometheus answers 400 to samples out of order or
 * out of bounds, but 500 to those before its window, and a retry helps neither. A 2xx with a web page comes from a login
 * page or a proxy: receivers of remote write answer without one.
 */
export function classifyAnswer(answer: Answer): AnswerClass {
  const { status } = answer;
  const isPage = isWebPage(answer);
  if (status >= 200 && status <= 299) {
    if (!isPage) return { kind: 'accepted' };
    return { kind: 'refused', words: `the target answered ${status} with a web page`, hint: PAGE_HINT };
  }
  const text = isPage ? '' : answer.text;
  const words = `the target answered ${status}${excerptOf(text)}`;
  if (OTHER_VALUE.test(text)) {
    return { kind: 'refused', words, hint: OTHER_VALUE_HINT };
  }
  if (TOO_OLD.test(text) || (status === 409 && CONFLICT.test(text))) {
    return { kind: 'refused', words, hint: TOO_OLD_HINT };
  }
  if (status === 429 || status >= 500) return { kind: 'later', words, retryAfterMs: answer.retryAfterMs };
  return { kind: 'refused', words, hint: hintOf(status) };
}

function isWebPage({ contentType = '', text }: Answer): boolean {
  const body = text.replace(/^\ufeff/, '').trimStart();
  // Some servers name HTML as the type of an empty body.
  return (
    body !== '' &&
    (/^(text\/html|application\/xhtml)/i.test(contentType) || /^<(!doctype|html)\b/i.test(body))
  );
}

function hintOf(status: number): string {
  if (status >= 300 && status <= 399) return PAGE_HINT;
  if (status === 401 || status === 403) {
    return 'Check --remote-write.bearer-token-file, or --remote-write.username and --remote-write.password-file; and --remote-write.header where the target has tenants.';
  }
  if (status === 404 || status === 405) {
    return 'Check the URL; Prometheus accepts remote write at /api/v1/write, with --web.enable-remote-write-receiver.';
  }
  return 'Check that the URL accepts Prometheus remote write 1.0.';
}

/** The first line of a body if it is text, without the labels of a series that it names. */
function excerptOf(text: string): string {
  const line = (text.split('\n', 1)[0] ?? '')
    .replace(/[^\x20-\x7e]/g, ' ')
    .replace(/(\w)\{.*/, '$1{…}')
    .trim();
  return line === '' || line.startsWith('<') ? '' : `: ${line.slice(0, 200)}`;
}
