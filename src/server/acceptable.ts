import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Handler, respondText } from './respond.ts';

/** Lets through whoever takes this type of content, and answers 406 to those whose `Accept` rules it out. */
export function offering(type: string, handler: Handler): Handler {
  return (request, response) => {
    if (refusesIdentity(request)) return refuseCodings(response);
    if (isAcceptable(request, type)) return handler(request, response);
    respondText(response, 406, `This address answers with ${type} only.`);
  };
}

/** Whether `Accept-Encoding` rules out an answer that is not compressed. */
export function refusesIdentity({ headers }: IncomingMessage): boolean {
  const codings = headers['accept-encoding'];
  const accepted = Array.isArray(codings) ? codings.join(',') : (codings ?? '');
  const weights = new Map(accepted.toLowerCase().split(',').map(weightOf));
  return (weights.get('identity') ?? weights.get('*') ?? 1) === 0;
}

/** Answers that no coding is left in which there is an answer. */
export function refuseCodings(response: ServerResponse): void {
  respondText(response, 406, 'Accept-Encoding rules out every coding that this address has.');
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
