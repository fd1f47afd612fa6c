import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';

type HeadersOfAnswer = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** Gives an answer the configured headers, which win over what its route sets itself. */
export function setHeaders(response: ServerResponse, headers: ReadonlyMap<string, string>): void {
  const names = new Set([...headers.keys()].map((name) => name.toLowerCase()));
  const writeHead = response.writeHead.bind(response);
  response.writeHead = (
    status: number,
    reason?: string | HeadersOfAnswer,
    more?: HeadersOfAnswer,
  ): ServerResponse => {
    const own = typeof reason === 'string' ? more : reason;
    for (const [name, value] of pairsOf(own)) {
      if (!names.has(name.toLowerCase())) response.appendHeader(name, value);
    }
    for (const [name, value] of headers) response.setHeader(name, value);
    return typeof reason === 'string' ? writeHead(status, reason) : writeHead(status);
  };
}

function pairsOf(headers: HeadersOfAnswer | undefined): (readonly [string, string | string[]])[] {
  if (headers === undefined) return [];
  if (!Array.isArray(headers)) {
    return Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, textOf(value)] as const],
    );
  }
  const pairs: (readonly [string, string | string[]])[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    pairs.push([String(headers[index]), textOf(headers[index + 1] ?? '')]);
  }
  return pairs;
}

function textOf(value: OutgoingHttpHeader): string | string[] {
  return typeof value === 'number' ? String(value) : value;
}
