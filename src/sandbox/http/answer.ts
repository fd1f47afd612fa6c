import { STATUS_CODES } from 'node:http';
import type { Answer, Endpoint, Row } from '../types.ts';
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
  const title = STATUS_CODES[status] ?? 'Error';
  let body: Row = { title, detail, status, requestId };
  if (endpoint === 'readiness') body = { error: { message: detail } };
  if (endpoint === 'wiki')
    body = { detail, status, title, ...(status < 500 ? {} : { metadata: { requestId } }) };
  return jsonAnswer(status, [JSON.stringify(body)]);
}
