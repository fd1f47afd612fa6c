import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { Negotiated } from '../exposition/negotiate.ts';
import { type Handler, respondText } from './respond.ts';

/** The format for a client, by its `Accept` and `Accept-Encoding` headers. */
export type Negotiate = (accept: string | undefined, acceptEncoding: string | undefined) => Negotiated;

/** The format for the client of a request. */
export function negotiated({ headers }: IncomingMessage, negotiate: Negotiate): Negotiated {
  const codings = headers['accept-encoding'];
  return negotiate(headers.accept, Array.isArray(codings) ? codings.join(',') : codings);
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
  return request.acceptsEncodings('identity') === false;
}

/** Responds that the client accepts no available coding. */
export function refuseCodings(response: ServerResponse): void {
  respondText(response, 406, 'Not acceptable: Accept-Encoding excludes every available coding.');
}
