import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Changes an answer of the platform: its body as JSON, and what was asked for. */
export type Rewrite = (body: Record<string, unknown>, url: URL) => unknown;

/** Starts a server that passes on what a platform answers, changed on its way; gives its address. */
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
  const server = createServer((request, response) => {
    // The platform may end while the program still asks.
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
