import type { Answer, Endpoint } from '../types.ts';
import type { JsonPieces, Refusal } from './call.ts';

export function jsonAnswer(status: number, body: JsonPieces): Answer {
  return { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body };
}

/** An error in the error format of its endpoint. */
export function errorAnswer(
  endpoint: Endpoint | undefined,
  { status, detail }: Refusal,
  requestId: string,
): Answer {
  return jsonAnswer(status, [JSON.stringify(bodyOf())]);

  function bodyOf(): object {
    const title = titles[status] ?? 'Error';
    if (endpoint === 'readiness') return { error: { message: detail } };
    if (endpoint === 'wiki')
      return { detail, status, title, ...(status < 500 ? {} : { metadata: { requestId } }) };
    return { title, detail, status, requestId };
  }
}

const titles: Readonly<Record<number, string>> = {
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
