import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { Negotiated } from '../exposition/negotiate.ts';
import { type Handler, respondText } from './respond.ts';

/** The format for a client, by its `Accept` and `Accept-Encoding` headers. */
export type Negotiate = (accept: string | undefined, acceptEncoding: string | undefined) => Negotiated;

/** A scraper sends the same headers with every scrape, and parsing them costs a fifth of a small response. */
const REMEMBERED = 8;

/** Clients that send the same headers. */
interface Kind {
  readonly accept: string | undefined;
  readonly coding: string | undefined;
  readonly negotiated: Negotiated;
}

/** Caches the result for each kind of client. */
export function rememberNegotiation(negotiate: Negotiate): (request: IncomingMessage) => Negotiated {
  const known: Kind[] = [];
  return ({ headers }) => {
    const { accept } = headers;
    const codings = headers['accept-encoding'];
    const coding = Array.isArray(codings) ? codings.join(',') : codings;
    for (const kind of known) if (kind.accept === accept && kind.coding === coding) return kind.negotiated;
    const negotiated = negotiate(accept, coding);
    if (known.length >= REMEMBERED) known.length = 0;
    known.push({ accept, coding, negotiated });
    return negotiated;
  };
}

/** A request as passed on by express. */
export type ExpressRequest = IncomingMessage & Pick<Request, 'accepts' | 'acceptsEncodings'>;

/** Calls the handler if the client accepts this content type; responds 406 otherwise. */
export function offering(type: string, handler: Handler<ExpressRequest>): Handler<ExpressRequest> {
  return (request, response) => {
    if (request.accepts(type) !== false) return handler(request, response);
    respondText(response, 406, `Not acceptable. Available type: ${type}.`);
  };
}

/** Whether `Accept-Encoding` excludes an uncompressed answer. */
export function refusesIdentity(request: ExpressRequest): boolean {
  // Of the usual scrape, which has not passed express.
  if (request.headers['accept-encoding'] === 'gzip') return false;
  return request.acceptsEncodings('identity') === false;
}

/** Responds that the client accepts no available coding. */
export function refuseCodings(response: ServerResponse): void {
  respondText(response, 406, 'Not acceptable: Accept-Encoding excludes every available coding.');
}
