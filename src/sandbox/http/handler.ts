import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Answer, Answering, SeenRequest } from '../types.ts';
import type { KeyRing } from './call.ts';

interface HandlerDeps {
  readonly answer: Answering;
  readonly keys: KeyRing;
  readonly log: RequestLog;
}

/** Creates the whole HTTP interface as one request listener. */
export function createHandler({ answer, keys, log }: HandlerDeps): RequestListener {
  return (request, response) => {
    void handle(request, response).catch(() => response.destroy());
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', headers } = request;
    const { authorization } = headers;
    const url = new URL(request.url ?? '/', 'http://sandbox.invalid');
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableFinished) gone.abort();
    });
    const answered = await answer({ method, url, authorization, signal: gone.signal }).catch(() => undefined);
    log.add({
      method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      status: answered?.status ?? 0,
      org: keys.holder(authorization)?.tenant.org.name,
    });
    if (answered === undefined) response.destroy();
    else await send(response, answered, gone.signal);
  }
}

/** Sends an answer in pieces, yielding between them; throws if the client disconnects. */
async function send(response: ServerResponse, answer: Answer, signal: AbortSignal): Promise<void> {
  response.writeHead(answer.status, { ...answer.headers });
  for await (const piece of answer.body) {
    signal.throwIfAborted();
    await (response.write(piece) ? setImmediate() : once(response, 'drain', { signal }));
  }
  response.end();
}

/** The newest requests, oldest first. */
interface RequestLog {
  add(request: SeenRequest): void;
  all(): readonly SeenRequest[];
}

/** Creates a log that drops the oldest requests beyond `capacity`. */
export function createRequestLog(capacity: number): RequestLog {
  const seen: SeenRequest[] = [];
  return {
    add(request) {
      seen.push(request);
      if (seen.length > capacity) seen.shift();
    },
    all: () => [...seen],
  };
}
