import type { Readable } from 'node:stream';
import axios from 'axios';
import type { PlatformError } from '../runtime/errors.ts';
import type { JsonBounds } from '../runtime/json-meter.ts';
import type { AgentPool, Agents } from './agents.ts';
import { readBody, readErrorBody } from './body.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { describeNetworkError } from './network-error.ts';
import { isRedirect, judgeRedirect, MAX_REDIRECTS } from './redirect.ts';

/** How an exchange ended, below the meaning of statuses and bodies. */
export type Exchanged =
  | Answered
  | { readonly kind: 'redirect'; readonly status: number; readonly words: string }
  | { readonly kind: 'refused'; readonly status: number; readonly error: PlatformError }
  | { readonly kind: 'too-large'; readonly status: number; readonly exceeds: 'bytes' | keyof JsonBounds }
  | { readonly kind: 'timeout'; readonly words: string; readonly hint?: string }
  | { readonly kind: 'network'; readonly words: string; readonly hint?: string };

export interface Answered {
  readonly kind: 'answer';
  readonly status: number;
  readonly contentType: string | undefined;
  readonly retryAfter: string | undefined;
  /** The server's own time, as its `Date` header gives it. */
  readonly date: string | undefined;
  /** The whole body of a 2xx answer, the beginning of any other. */
  readonly text: string;
  readonly bytes: number;
}

/** One GET with its redirects, each at most `timeoutMs` milliseconds to the last byte; it never throws; `ended` breaks it off. */
export type Exchange = (
  url: URL,
  key: string,
  bounds: { readonly timeoutMs: number; readonly ended: AbortSignal },
) => Promise<Exchanged>;

interface Head {
  readonly status: number;
  header(name: string): string | undefined;
  readonly stream: Readable;
}

/** Creates the transport. No AxiosError, which holds the key, leaves it. */
export function createExchange(deps: {
  readonly agents: AgentPool;
  readonly maxResponseBytes: () => number;
  readonly userAgent: string;
  /** Waits until a redirect may be followed, or gives the error for which it may not. */
  admit(ended: AbortSignal): Promise<PlatformError | undefined>;
}): Exchange {
  // Redirects are followed here: a library that follows them decides on its own where the key goes.
  const client = axios.create({
    adapter: 'http',
    responseType: 'stream',
    maxRedirects: 0,
    transformResponse: [],
    validateStatus: () => true,
    headers: { Accept: 'application/json', 'User-Agent': deps.userAgent },
  });

  async function head(url: URL, key: string, signal: AbortSignal): Promise<Head> {
    const { proxied, ...agents }: Agents = deps.agents.for(url);
    const response = await client.get<Readable>(url.href, {
      ...agents,
      // Without this, axios reads the proxy from the environment by itself; Node's agents do it where wanted.
      ...(proxied ? {} : { proxy: false as const }),
      headers: { Authorization: `Bearer ${key}` },
      signal,
    });
    return {
      status: response.status,
      header(name) {
        const value: unknown = response.headers[name];
        return typeof value === 'string' ? value : undefined;
      },
      stream: response.data,
    };
  }

  async function hop(url: URL, key: string, deadline: Deadline): Promise<Exchanged | Moved> {
    const answer = await head(url, key, deadline.signal);
    const { status } = answer;
    if (!isRedirect(status)) return read(answer, deps.maxResponseBytes(), deadline);
    await readErrorBody(answer.stream);
    const redirect = judgeRedirect(url, status, answer.header('location'));
    if ('refused' in redirect) return { kind: 'redirect', status, words: redirect.refused };
    return { kind: 'moved', status, to: redirect.to };
  }

  async function bounded(
    url: URL,
    key: string,
    timeoutMs: number,
    ended: AbortSignal,
  ): Promise<Exchanged | Moved> {
    const deadline = startDeadline(timeoutMs, ended);
    try {
      return await hop(url, key, deadline);
    } catch (thrown) {
      if (ended.aborted) return { kind: 'network', words: 'the client was closed' };
      if (deadline.expired()) return { kind: 'timeout', words: 'no answer in time' };
      const { timeout, ...trouble } = describeNetworkError(thrown);
      return { kind: timeout ? 'timeout' : 'network', ...trouble };
    } finally {
      deadline.clear();
    }
  }

  return async (start, key, { timeoutMs, ended }) => {
    let url = start;
    for (let hops = 0; ; hops += 1) {
      const exchanged = await bounded(url, key, timeoutMs, ended);
      if (exchanged.kind !== 'moved') return exchanged;
      const { status, to } = exchanged;
      if (hops === MAX_REDIRECTS) return { kind: 'redirect', status, words: 'one redirect too many' };
      const error = await deps.admit(ended);
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

async function read(answer: Head, limit: number, deadline: Deadline): Promise<Exchanged> {
  const { status, stream } = answer;
  const about = {
    kind: 'answer' as const,
    status,
    contentType: answer.header('content-type'),
    retryAfter: answer.header('retry-after'),
    date: answer.header('date'),
  };
  if (status < 200 || status > 299) return { ...about, text: await readErrorBody(stream), bytes: 0 };
  if (Number(answer.header('content-length') ?? 0) > limit) {
    stream.destroy();
    return { kind: 'too-large', status, exceeds: 'bytes' };
  }
  try {
    const body = await readBody(stream, limit);
    return 'exceeds' in body ? { kind: 'too-large', status, ...body } : { ...about, ...body };
  } catch (thrown) {
    if (deadline.signal.aborted) throw thrown;
    return { kind: 'network', words: 'the answer broke off or is damaged' };
  }
}
