import type { IncomingMessage } from 'node:http';
import { type Handler, respondText } from './respond.ts';

/** Lets through whoever takes this type of content, and answers 406 to those whose `Accept` rules it out. */
export function offering(type: string, handler: Handler): Handler {
  return (request, response) => {
    if (isAcceptable(request, type)) return handler(request, response);
    respondText(response, 406, `This address answers with ${type} only.`);
  };
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
