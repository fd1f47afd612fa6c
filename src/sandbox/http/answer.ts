import type { Endpoint } from '../types.ts';
import type { JsonPieces, Refusal } from './call.ts';

/** A response, before transport faults are applied. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Iterable<string | Uint8Array>;
}

export function jsonAnswer(status: number, body: JsonPieces): Answer {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body };
}

export function htmlAnswer(status: number): Answer {
  const title = `${status} ${titles[status] ?? 'Error'}`;
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: [
      `<html>\n<head><title>${title}</title></head>\n<body><center><h1>${title}</h1></center></body>\n</html>\n`,
    ],
  };
}

/** An error in the error format of its endpoint. */
export function errorAnswer(
  endpoint: Endpoint | undefined,
  { status, detail }: Refusal,
  requestId: string,
  otherBody: string | undefined,
): Answer {
  if (otherBody === 'html') return htmlAnswer(status);
  if (otherBody === 'empty') return { status, headers: {}, body: [] };
  const title = titles[status] ?? 'Error';
  if (otherBody === 'errors') return json({ errors: [{ message: detail }] });
  if (endpoint === 'readiness') return json({ error: { message: detail } });
  if (endpoint === 'wiki')
    return json({ detail, status, title, ...(status < 500 ? {} : { metadata: { requestId } }) });
  return json({ title, detail, status, requestId });

  function json(body: object): Answer {
    return jsonAnswer(status, [JSON.stringify(body)]);
  }
}

const titles: Readonly<Record<number, string>> = {
  200: 'Sign in',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};
