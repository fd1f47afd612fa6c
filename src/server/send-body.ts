import type { ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';

/** Over TLS, the client has to read before more than this many bytes are written. */
const PIECE = 64 * 1024;

/**
 * Sends the body of a response whose headers are written, and ends the response. Plain HTTP writes it at once, which is
 * twice as fast as in pieces and copies nothing until the client reads. TLS would encrypt all of it at once, into memory
 * of the connection: clients that never read would take the size of a page each.
 */
export function sendBody(response: ServerResponse, parts: readonly Buffer[]): void {
  // The socket of the request, because the response to a pipelined request has none yet.
  if ('encrypted' in response.req.socket) {
    // A client that goes away ends its answer.
    pipeline(Readable.from(cut(parts)), response, () => undefined);
  } else if (parts.length === 1) response.end(parts[0]);
  else {
    response.cork();
    for (const part of parts) response.write(part);
    response.end();
  }
}

/** The bytes of the parts in pieces, which share their memory. */
function* cut(parts: readonly Buffer[]): Generator<Buffer, void> {
  for (const part of parts) {
    for (let start = 0; start < part.length; start += PIECE) yield part.subarray(start, start + PIECE);
  }
}
