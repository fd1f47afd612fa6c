import type { Agent, IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import type { AgentPool } from './agents.ts';
import { type BriefWords, HttpError } from './http-error.ts';
import { connectAttemptMs, nodeHttp } from './node-http.ts';

/** A request; redirects are not followed. */
export interface HttpRequest {
  readonly method?: 'GET' | 'POST';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Time limit in real time, because it limits a socket: from connecting to the last byte that is read. */
  readonly timeoutMs: number;
  /** Aborts it. */
  readonly signal?: AbortSignal | undefined;
  /** Certificates (PEM) that are trusted instead of the default ones. */
  readonly ca?: string | string[] | undefined;
  /** Finds the addresses of the host, unless a proxy does; the system's by default. */
  readonly lookup?: LookupFunction | undefined;
  /** Whether any certificate is trusted. */
  readonly trustsAny?: boolean;
  /** Whether a compressed body stays as it came; otherwise it depends on the transport. */
  readonly isRaw?: boolean;
  /** Called once the TLS handshake is over. */
  readonly onSecured?: () => void;
}

/** An answer whose body was not read yet. */
export interface HttpAnswer {
  readonly status: number;
  header(name: string): string | undefined;
  readonly stream: Readable;
}

/** A request and its way; `signal` also ends it when its time is up. */
export interface SentRequest extends HttpRequest {
  readonly signal: AbortSignal;
  /** `false`: a connection of its own. */
  readonly agent: Agent | false;
  /** Host and port of the proxy that it goes through. */
  readonly proxy: string | undefined;
}

/** Sends a request. `close` ends a connection whose answer was not read to its end. */
export type Transport = (request: SentRequest) => Promise<HttpAnswer & { close(): void }>;

interface HttpClientParts {
  /** The connections that are kept, and the proxies; by default, each request has a direct connection of its own. */
  readonly agents?: AgentPool | undefined;
  /** Node's own by default, which decompresses nothing. */
  readonly transport?: Transport;
  /** Those of its errors; by default those of the hook command. */
  readonly words?: BriefWords;
}

/** Sends requests: the one place where their time is limited, their proxies are found and their failures named. */
export class HttpClient {
  readonly #agents: AgentPool | undefined;
  readonly #transport: Transport;
  readonly #words: BriefWords | undefined;

  constructor({ agents, transport = sendByNode, words }: HttpClientParts = {}) {
    this.#agents = agents;
    this.#transport = transport;
    this.#words = words;
  }

  /**
   * Sends a request and has its answer read, which gets the signal that ends both; what was not read of it is not waited
   * for. Throws nothing but an `HttpError`.
   */
  async send<Result>(
    request: HttpRequest,
    read: (answer: HttpAnswer, ended: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const { url, timeoutMs, signal } = request;
    const { agent = false as const, proxy } = this.#agents?.for(url) ?? {};
    const late = new AbortController();
    const ended = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]);
    const answering = this.#transport({ ...request, agent, proxy, signal: ended });
    // Only now: the opening of a tunnel has the same limit, and says more if both end at once.
    const timer = setTimeout(() => late.abort(), Math.max(timeoutMs, 1));
    let close: (() => void) | undefined;
    try {
      const answer = await answering;
      close = answer.close;
      return await read(answer, ended);
    } catch (thrown) {
      const end = signal?.aborted ? 'aborted' : late.signal.aborted ? 'late' : 'failed';
      const words = this.#words ?? {
        late: `no answer within ${timeoutMs} ms`,
        unknown: 'the request failed',
      };
      throw new HttpError(thrown, { end, url, proxy, words });
    } finally {
      clearTimeout(timer);
      close?.();
    }
  }

  /** Ends all requests, and closes the connections. */
  close(): void {
    this.#agents?.destroy();
  }
}

/** Sends a request by Node's own client, which loads in a fraction of the time of axios. */
async function sendByNode(sent: SentRequest): ReturnType<Transport> {
  const { method = 'GET', url, headers = {}, body, signal, agent, onSecured } = sent;
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const options = { method, headers, agent, ...connectionOptions(sent) };
  const request = nodeHttp(url.protocol === 'https:').request(url, options, resolve);
  const close = () => void request.destroy();
  // A request that still waits for its connection reports no end by itself.
  signal.addEventListener('abort', () => {
    reject(signal.reason);
    close();
  });
  if (onSecured) request.on('socket', (socket) => socket.once('secureConnect', onSecured));
  request.on('error', reject).end(body);
  const stream = await promise;
  return answerOf(stream.statusCode, stream.headers, stream, close);
}

/** The options of a request that are about its connection, for `http` and `https` alike. */
export function connectionOptions({ ca, lookup, trustsAny = false, timeoutMs }: HttpRequest) {
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(lookup === undefined ? {} : { lookup }),
    ...(trustsAny ? { rejectUnauthorized: false } : {}),
    autoSelectFamilyAttemptTimeout: connectAttemptMs(timeoutMs),
  };
}

/** An answer, of whatever client. */
export function answerOf(
  status = 0,
  headers: Readonly<Record<string, unknown>>,
  stream: Readable,
  close: () => void,
) {
  function header(name: string): string | undefined {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  }
  return { status, header, stream, close };
}

/**
 * The beginning of a body: its text up to the part in which it exceeds `most` characters, so that whoever cuts it knows that
 * there was more. The rest is read too if its connection is to be kept (`drains`).
 */
export async function beginningOf(stream: Readable, most: number, drains = false): Promise<string> {
  let text = '';
  for await (const part of stream.setEncoding('utf8')) {
    if (text.length <= most) text += part;
    if (text.length > most && !drains) break;
  }
  return text;
}
