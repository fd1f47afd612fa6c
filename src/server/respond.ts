import type { IncomingMessage, ServerResponse } from 'node:http';

/** Headers beside those that every answer has, as names and values in turn. */
export type ExtraHeaders = readonly string[];

export const NO_STORE = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'] as const;

/** Answers with a whole body; to HEAD with its headers alone. */
export function respond(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string,
  extra: ExtraHeaders = [],
): void {
  const bytes = Buffer.from(body);
  const headers = [
    'Content-Type',
    contentType,
    'Content-Length',
    String(bytes.length),
    ...NO_STORE,
    ...extra,
  ];
  response.writeHead(status, headers);
  response.end(bytes);
}

/** Answers with one line of plain text, which never repeats what the client sent. */
export function respondText(
  response: ServerResponse,
  status: number,
  line: string,
  extra?: ExtraHeaders,
): void {
  respond(response, status, 'text/plain; charset=utf-8', `${line}\n`, extra);
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
