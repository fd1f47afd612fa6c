import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import { type Negotiated, negotiate } from '../exposition/negotiate.ts';
import { respondText } from './respond.ts';

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
