import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import { createAgentPool } from '../../net/agents.ts';
import { ProxyError, type ProxySettings, throughProxy } from '../../net/proxy.ts';
import type { Answer } from './response.ts';

/** The target did not answer; `message` is the reason, which names a proxy but contains no secret. */
export class NoAnswer extends Error {}

/** The sender of write requests. */
export interface Post {
  /** Sends a compressed one; rejects with a `NoAnswer` if there is no answer. */
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
  const url = new URL(deps.url);
  const { request: start } = url.protocol === 'https:' ? https : http;
  const agents = createAgentPool({
    keepAlive: true,
    maxSockets: deps.concurrency,
    limitMs: deps.timeoutMs,
    proxy: deps.proxy,
  });
  const { agent, proxy } = agents.for(url);

  async function post(body: Uint8Array, signal: AbortSignal): Promise<Answer> {
    const headers = {
      ...(await deps.headers()),
      'Content-Type': 'application/x-protobuf',
      'Content-Encoding': 'snappy',
      'Content-Length': body.length,
      'User-Agent': `agent-platform-exporter/${deps.version}`,
      'X-Prometheus-Remote-Write-Version': '0.1.0',
    };
    const ended = AbortSignal.any([signal, AbortSignal.timeout(deps.timeoutMs)]);
    const ca = await deps.ca?.();
    const trusted = ca === undefined ? {} : { ca };
    const request = start(url, { method: 'POST', agent, headers, signal: ended, ...trusted });
    // `once` hears only the first error.
    request.on('error', () => undefined);
    request.end(body);
    try {
      // With the signal, because a request that still waits for its connection reports no end.
      const [response] = (await once(request, 'response', { signal: ended })) as [IncomingMessage];
      const { statusCode: status = 0, headers: answered } = response;
      const retryAfterMs = deps.retryAfter(answered['retry-after']);
      return { status, contentType: answered['content-type'], text: await textOf(response), retryAfterMs };
    } catch (thrown) {
      throw noAnswer(ended.aborted ? ended.reason : thrown, proxy);
    }
  }

  return Object.assign(post, { close: agents.destroy });
}

// The message of a transport error may contain an address; its code is enough.
function noAnswer(thrown: unknown, proxy: string | undefined): NoAnswer {
  if (thrown instanceof ProxyError) return new NoAnswer(thrown.message);
  const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined;
  const isOverdue = thrown instanceof Error && thrown.name === 'TimeoutError';
  const why = isOverdue ? 'timeout' : typeof code === 'string' ? code : 'connection failed';
  return new NoAnswer(`${why}${throughProxy(proxy)}`);
}

/** The beginning of a body; the rest is read and discarded, so that the connection can be reused. */
async function textOf(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream.setEncoding('utf8')) if (text.length < EXCERPT_LENGTH) text += chunk;
  return text.slice(0, EXCERPT_LENGTH);
}
