import type { IncomingMessage } from 'node:http';
import type { Handler } from './respond.ts';

/**
 * Answers without reading what came with the request, and ends the connection after the answer where something came:
 * Node.js would otherwise go on to receive and discard it, however much it is.
 */
export function bodiless(handler: Handler): Handler {
  return (request, response) => {
    if (hasBody(request)) response.shouldKeepAlive = false;
    return handler(request, response);
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}
