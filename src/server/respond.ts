import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { Request } from 'express';
import { type Negotiated, negotiate } from '../exposition/negotiate.ts';

/** Headers in addition to those of every answer, as alternating names and values. */
export type ExtraHeaders = readonly string[];

export const NO_STORE = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'] as const;

/** Forbids framing, and sends no referrer when a link is followed. */
const GUARDED = [
  'X-Frame-Options',
  'DENY',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Resource-Policy',
  'same-origin',
] as const;

/** Closes the connection of a rejected client after the answer. */
export const HANG_UP = ['Connection', 'close'] as const;

/** The content security policy of plain text: allows nothing. */
const NOTHING_ALLOWED = "default-src 'none'; frame-ancestors 'none'";

/** Writes the status and headers. A header that the web configuration file has already set stays as it is. */
export function writeHeaders(response: ServerResponse, status: number, headers: ExtraHeaders): void {
  const isNew = (_text: string, index: number) => !response.hasHeader(headers[index - (index % 2)] ?? '');
  const isFirst = response.getHeaderNames().length === 0;
  // Writes all headers at once: one by one takes a tenth of a small scrape's time.
  response.writeHead(status, isFirst ? [...headers] : headers.filter(isNew));
}

/** Sends a complete body, or for HEAD its headers only. `policy` is the content security policy. */
export function respond(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string | Buffer,
  extra: ExtraHeaders = [],
  policy: string = NOTHING_ALLOWED,
): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  writeHeaders(response, status, [
    'Content-Type',
    contentType,
    'Content-Length',
    String(bytes.length),
    ...NO_STORE,
    ...GUARDED,
    'Content-Security-Policy',
    policy,
    ...extra,
  ]);
  sendBody(response, [bytes]);
}

/** Sends one line of plain text, which never repeats what the client sent. */
export function respondText(
  response: ServerResponse,
  status: number,
  line: string,
  extra?: ExtraHeaders,
): void {
  respond(response, status, 'text/plain; charset=utf-8', `${line}\n`, extra);
}

/** Sends JSON. */
export function respondJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  extra?: ExtraHeaders,
): void {
  respond(response, status, 'application/json; charset=utf-8', `${JSON.stringify(body)}\n`, extra);
}

/** The path and the query of a request's URL, as they were sent. */
export function partsOf(url = ''): readonly [path: string, query: string] {
  const start = url.indexOf('?');
  return start === -1 ? [url, ''] : [url.slice(0, start), url.slice(start + 1)];
}

export type Handler<Request extends IncomingMessage = IncomingMessage> = (
  request: Request,
  response: ServerResponse,
) => void | Promise<void>;

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

/** The format for the client of a request. */
export function negotiated({ headers }: IncomingMessage): Negotiated {
  return negotiate(headers.accept, headers['accept-encoding']);
}

/** A request as passed on by express. */
export type ExpressRequest = IncomingMessage & Pick<Request, 'accepts' | 'acceptsEncodings'>;

/** Whether `Accept-Encoding` excludes an uncompressed answer, and so every available coding; responds 406 if so. */
export function isRefused(request: ExpressRequest, response: ServerResponse): boolean {
  if (request.acceptsEncodings('identity') !== false) return false;
  respondText(response, 406, 'Not acceptable: Accept-Encoding excludes every available coding.');
  return true;
}
