import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Answering } from '../types.ts';

/** Creates the whole HTTP interface as one request listener. */
export function createHandler(answer: Answering): RequestListener {
  return (request, response) => {
    void respond(answer, request, response).catch(() => response.destroy());
  };
}

/** Sends the answer in pieces, yielding between them; throws if there is none, or the client disconnects. */
async function respond(answer: Answering, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', headers } = request;
  const url = new URL(request.url ?? '/', 'http://sandbox.invalid');
  const gone = new AbortController();
  const { signal } = gone;
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  const answered = await answer({ method, url, authorization: headers.authorization, headers, signal });
  response.writeHead(answered.status, { ...answered.headers });
  for await (const piece of answered.body) {
    signal.throwIfAborted();
    await (response.write(piece) ? setImmediate() : once(response, 'drain', { signal }));
  }
  response.end();
}
