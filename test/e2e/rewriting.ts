import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Rewrites an answer of the platform: its body as JSON, and the request. */
export type Rewrite = (body: Record<string, unknown>, url: URL) => unknown;

/** Starts a server that forwards a platform's answers after rewriting them; returns its URL. */
export async function startRewriting(platform: string, rewrite: Rewrite): Promise<string> {
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await fetch(platform + request.url, {
      headers: { authorization: request.headers.authorization ?? '' },
    });
    const url = new URL(request.url ?? '/', platform);
    const body = answer.ok
      ? rewrite((await answer.json()) as Record<string, unknown>, url)
      : await answer.json();
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }
  return startPassing(pass);
}

/** Starts a server on loopback that answers as `pass` does, until the test ends; returns its URL. */
export async function startPassing(
  pass: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<string> {
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    // The platform may stop while the program still sends requests.
    pass(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
