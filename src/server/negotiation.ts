import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Negotiated } from '../exposition/negotiate.ts';
import { type Handler, respondText } from './respond.ts';

/** What a client wants, by its `Accept` and `Accept-Encoding` headers. */
export type Negotiate = (accept: string | undefined, acceptEncoding: string | undefined) => Negotiated;

/** A scraper sends the same headers at every scrape, and parsing them costs a fifth of a small response. */
const REMEMBERED = 32;

/** Negotiates with each kind of client once. */
export function rememberNegotiation(negotiate: Negotiate): (request: IncomingMessage) => Negotiated {
  const known = new Map<string, Negotiated>();
  return (request) => {
    const { accept } = request.headers;
    const codings = request.headers['accept-encoding'];
    const coding = Array.isArray(codings) ? codings.join(',') : codings;
    // A header's value holds no line break.
    const key = `${accept ?? ''}\n${coding ?? ''}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const result = negotiate(accept, coding);
    if (known.size >= REMEMBERED) known.clear();
    known.set(key, result);
    return result;
  };
}

/** Calls the handler if the client accepts this content type; responds 406 otherwise. */
export function offering(type: string, handler: Handler): Handler {
  return (request, response) => {
    if (refusesIdentity(request)) return refuseCodings(response);
    if (isAcceptable(request, type)) return handler(request, response);
    respondText(response, 406, `Not acceptable. Available type: ${type}.`);
  };
}

/** Whether `Accept-Encoding` rules out an answer that is not compressed. */
export function refusesIdentity({ headers }: IncomingMessage): boolean {
  const codings = headers['accept-encoding'];
  const accepted = Array.isArray(codings) ? codings.join(',') : (codings ?? '');
  const weights = new Map(accepted.toLowerCase().split(',').map(weightOf));
  return (weights.get('identity') ?? weights.get('*') ?? 1) === 0;
}

/** Responds that the client accepts no available coding. */
export function refuseCodings(response: ServerResponse): void {
  respondText(response, 406, 'Not acceptable: Accept-Encoding excludes every available coding.');
}

/** Whether the `Accept` header allows a type (`text/html`); the range that names it most precisely decides. */
function isAcceptable({ headers: { accept = '' } }: IncomingMessage, type: string): boolean {
  if (accept.trim() === '') return true;
  const precise = [type, type.replace(/\/.*$/, '/*'), '*/*'];
  const weights = new Map(accept.toLowerCase().split(',').map(weightOf));
  const decisive = precise.find((range) => weights.has(range));
  return decisive !== undefined && weights.get(decisive) !== 0;
}

function weightOf(range: string): readonly [string, number] {
  const [name = '', ...parameters] = range.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, '');
  return [name, weight === undefined ? 1 : Number(weight)];
}
