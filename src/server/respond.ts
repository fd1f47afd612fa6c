import type { IncomingMessage, ServerResponse } from 'node:http';

/** Headers beside those that every answer has, as names and values in turn. */
export type ExtraHeaders = readonly string[];

export const NO_STORE = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'] as const;

/** Nobody frames an answer, and following a link in it does not tell where it was. */
const GUARDED = [
  ...['X-Frame-Options', 'DENY', 'Referrer-Policy', 'no-referrer'],
  ...['Cross-Origin-Resource-Policy', 'same-origin'],
] as const;

/** What a page that is only text may do in a browser: nothing. */
const NOTHING_ALLOWED = "default-src 'none'; frame-ancestors 'none'";

/** Answers with a whole body; to HEAD with its headers alone. `policy` is what a browser may do with it. */
export function respond(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string,
  extra: ExtraHeaders = [],
  policy: string = NOTHING_ALLOWED,
): void {
  const bytes = Buffer.from(body);
  const headers = [
    'Content-Type',
    contentType,
    'Content-Length',
    String(bytes.length),
    ...NO_STORE,
    ...GUARDED,
    'Content-Security-Policy',
    policy,
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

/** Answers with JSON, for clients that read it. */
export function respondJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  extra?: ExtraHeaders,
): void {
  respond(response, status, 'application/json; charset=utf-8', `${JSON.stringify(body)}\n`, extra);
}

export type Handler<Request extends IncomingMessage = IncomingMessage> = (
  request: Request,
  response: ServerResponse,
) => void | Promise<void>;
