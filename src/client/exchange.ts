import type { LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Platform } from '../catalog/platform.ts';
import { beginningOf, type HttpAnswer, type HttpClient } from '../net/http-client.ts';
import { HttpError } from '../net/http-error.ts';
import type { FailedAt, PlatformError } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import { createJsonScale } from './json-text.ts';
import { type LinesRead, type RowSink, readLines } from './lines.ts';
import type { MemoryShare } from './reading-memory.ts';

/** Transport-level outcome of a request. */
export type Exchanged =
  | Answered
  | { readonly kind: 'redirect'; readonly status: number; readonly words: string }
  | { readonly kind: 'refused'; readonly status: number; readonly error: PlatformError }
  | { readonly kind: 'too-large'; readonly status: number }
  | (LinesRead & { readonly kind: 'lines'; readonly status: number; readonly date: string | undefined })
  | {
      readonly kind: 'timeout' | 'network';
      readonly words: string;
      readonly hint?: string;
      readonly failedAt?: FailedAt;
    };

export interface Answered {
  readonly kind: 'answer';
  readonly status: number;
  readonly contentType: string | undefined;
  readonly retryAfter: string | undefined;
  readonly header?: (name: string) => string | undefined;
  /** The server's own time, as its `Date` header gives it. */
  readonly date: string | undefined;
  /** The whole body of a 2xx answer, the beginning of any other. */
  text: string;
  bytes: number;
  /** The address that answered, if a redirect led to it. */
  movedTo?: URL;
}

/** One GET with its redirects, each limited to `timeoutMs` milliseconds; never throws; `ended` aborts it. */
export type Exchange = (url: URL, key: string, bounds: Bounds) => Promise<Exchanged>;

interface Bounds {
  readonly timeoutMs: number;
  readonly ended: AbortSignal;
  /** The answer's share of memory; it grows before a byte is kept. */
  readonly memory: MemoryShare;
  /** Takes the body of a 200 line by line. */
  readonly sink?: RowSink | undefined;
  /** Set if the URL is a link from an answer: it is requested without the key and the platform's headers; redirects are refused. */
  readonly link?: { readonly lookup: LookupFunction } | undefined;
}

/** Dependencies of reading bodies. */
interface BodyParts {
  readonly maxResponseBytes: number;
  /** Its slices take turns among the bodies that are read at the same time. */
  readonly clock: Pick<Clock, 'slices'>;
}

interface ExchangeParts extends BodyParts {
  readonly http: HttpClient;
  readonly userAgent: string;
  /** The headers of a request with this key; by default JSON is accepted, and the key is a bearer token. */
  readonly headers?: Platform['headers'] | undefined;
  /** Waits until a redirect may be followed, or returns the error that forbids it. */
  allowRedirect(ended: AbortSignal): Promise<PlatformError | undefined>;
}

/** Creates the transport. */
export function createExchange(deps: ExchangeParts): Exchange {
  async function hop(
    url: URL,
    key: string,
    { timeoutMs, ended, memory, sink, link }: Bounds,
  ): Promise<Exchanged | Moved> {
    const isRaw = sink !== undefined;
    const usual = { Accept: 'application/json', Authorization: `Bearer ${key}` };
    const own = link === undefined ? (deps.headers?.(key, url.pathname) ?? usual) : ANY_TYPE;
    const headers = { ...own, 'User-Agent': deps.userAgent, ...(isRaw && UNPACKED_HERE) };
    const sent = { url, headers, timeoutMs, signal: ended, isRaw, lookup: link?.lookup };
    try {
      return await deps.http.send(sent, (answer, signal) => {
        const isMoved = REDIRECTS.has(answer.status) && link === undefined;
        return isMoved ? leave(answer, url) : read(answer, { memory, signal, sink }, deps);
      });
    } catch (thrown) {
      if (!(thrown instanceof HttpError)) throw thrown;
      if (thrown.end === 'aborted') return { kind: 'network', words: 'the client was closed' };
      const { timeout, ...trouble } = thrown.trouble;
      return { kind: timeout ? 'timeout' : 'network', ...trouble };
    }
  }

  return async (start, key, bounds) => {
    let url = start;
    for (let hops = 0; ; hops += 1) {
      const exchanged = await hop(url, key, bounds);
      if (exchanged.kind === 'answer' && hops > 0) exchanged.movedTo = url;
      if (exchanged.kind !== 'moved') return exchanged;
      const { status, to } = exchanged;
      if (hops === MAX_REDIRECTS) return { kind: 'redirect', status, words: 'too many redirects' };
      const error = await deps.allowRedirect(bounds.ended);
      if (error !== undefined) return { kind: 'refused', status, error };
      url = to;
    }
  };
}

interface Moved {
  readonly kind: 'moved';
  readonly status: number;
  readonly to: URL;
}

async function leave({ status, header, stream }: HttpAnswer, from: URL): Promise<Exchanged | Moved> {
  await readErrorBody(stream);
  const redirect = classifyRedirect(from, status, header('location'));
  if ('refused' in redirect) return { kind: 'redirect', status, words: redirect.refused };
  return { kind: 'moved', status, to: redirect.to };
}

/** Where the body of one answer goes, and what aborts reading it. */
interface Reading extends Pick<Bounds, 'memory' | 'sink'> {
  readonly signal: AbortSignal;
}

async function read(answer: HttpAnswer, reading: Reading, parts: BodyParts): Promise<Exchanged> {
  const { status } = answer;
  const { sink } = reading;
  const stream = sink === undefined ? answer.stream : unpacked(answer);
  const answered: Answered = {
    kind: 'answer',
    status,
    contentType: answer.header('content-type'),
    retryAfter: answer.header('retry-after'),
    date: answer.header('date'),
    header: answer.header,
    text: '',
    bytes: 0,
  };
  if (status < 200 || status > 299) return { ...answered, text: await readErrorBody(stream) };
  const { slices } = parts.clock;
  if (sink === undefined && Number(answer.header('content-length') ?? 0) > parts.maxResponseBytes) {
    return { kind: 'too-large', status };
  }
  try {
    if (sink !== undefined && status === 200) {
      const lines = await readLines(stream, sink, { ...reading, slices });
      return { ...lines, kind: 'lines', status, date: answered.date };
    }
    return (await readBody(stream, answered, reading, parts)) ? answered : { kind: 'too-large', status };
  } catch (thrown) {
    if (reading.signal.aborted) throw thrown;
    return { kind: 'network', words: 'the answer is incomplete or damaged', failedAt: 'connection' };
  }
}

const ANY_TYPE = { Accept: '*/*' };
const UNPACKED_HERE = { 'Accept-Encoding': 'gzip' };

/** The unpacked body of an answer that came raw: unlike a transport, this notices a compressed body that ends too early. */
function unpacked({ header, stream }: HttpAnswer): Readable {
  const isPacked = /^(?:x-)?gzip$/i.test(header('content-encoding') ?? '');
  return isPacked ? pipeline(stream, createGunzip(), () => undefined) : stream;
}

/** The target of a redirect, or the reason why it is not followed. */
type Redirect = { readonly to: URL } | { readonly refused: string };

/** Maximum number of redirects that are followed per request. */
const MAX_REDIRECTS = 3;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Classifies a redirect: only 307 and 308 preserve the request, and only the same scheme, host and port may receive
 * the key. If the new address has no query, the old query is kept, because it contains the listing's cursor.
 */
function classifyRedirect(from: URL, status: number, location: string | undefined): Redirect {
  if (status !== 307 && status !== 308) {
    return { refused: 'a redirect that may change the request, which is not followed' };
  }
  if (location === undefined || !URL.canParse(location, from.href)) {
    return { refused: 'a redirect without a valid location' };
  }
  const to = new URL(location, from.href);
  if (to.protocol !== from.protocol) {
    return {
      refused: `a redirect from ${bare(from.protocol)} to ${bare(to.protocol)}, which is not followed with a key`,
    };
  }
  if (to.host !== from.host) return { refused: 'a redirect to another host, which must not receive the key' };
  to.username = '';
  to.password = '';
  to.hash = '';
  if (to.search === '') to.search = from.search;
  return { to };
}

function bare(protocol: string): string {
  return protocol.replace(':', '').slice(0, 10);
}

/** Number of characters after which reading an error's body ends: enough for its first sentences. */
const ERROR_BODY_LENGTH = 16 * 1024;

/** The number of copies of a body in memory before it is parsed: its chunks, and the joined text. */
const READ_COPIES = 2;

/**
 * Reads a body of at most `maxResponseBytes` bytes (after decompression) into `answered`; stops at the first byte beyond that, or
 * beyond the memory that an answer may take, and returns false. Throws the stream's error if it is interrupted.
 */
async function readBody(
  stream: Readable,
  answered: Answered,
  { memory, signal }: Reading,
  { maxResponseBytes: limit, clock: { slices } }: BodyParts,
): Promise<boolean> {
  const chunks: Buffer[] = [];
  const weigh = createJsonScale();
  const place = slices.place();
  let bytes = 0;
  let weight = 0;
  for await (const chunk of stream) {
    // Back-pressure: otherwise one tick of the event loop would drain dozens of sockets.
    await slices.next(place);
    bytes += chunk.length;
    weight = weigh(chunk);
    if (bytes > limit || weight > memory.most) return false;
    await memory.grow(READ_COPIES * bytes, signal);
    chunks.push(chunk);
  }
  await memory.grow(weight, signal);
  answered.bytes = bytes;
  answered.text = Buffer.concat(chunks).toString('utf8');
  return true;
}

/** Reads the beginning of an error's body; empty if it is interrupted, because half a word may be half a secret. */
function readErrorBody(stream: Readable): Promise<string> {
  return beginningOf(stream, ERROR_BODY_LENGTH).catch(() => '');
}
