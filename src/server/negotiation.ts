import type { IncomingMessage } from 'node:http';
import type { Negotiated } from '../exposition/negotiate.ts';
import type { Negotiate } from './answer-page.ts';

/** A scraper says the same at every scrape, and reading its headers costs a fifth of a small answer. */
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
