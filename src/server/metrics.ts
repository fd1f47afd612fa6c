import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { Exposition } from '../exposition/exposition.ts';
import type { Negotiated } from '../exposition/negotiate.ts';
import type { ScrapeBody, ScrapedPage } from '../exposition/scrape.ts';
import type { Logger } from '../runtime/logger.ts';
import { parseCollect } from './collect.ts';
import { type Handler, NO_STORE, respondText } from './respond.ts';

export interface MetricsDeps {
  readonly exposition: Pick<Exposition, 'scrape'>;
  /** What a client wants, by its `Accept` and `Accept-Encoding` headers. */
  negotiate(accept: string | undefined, acceptEncoding: string | undefined): Negotiated;
  readonly log: Logger;
}

/**
 * Answers scrapes: chooses the format and hands out bytes that are there already. Headers and body are written
 * directly, since express' `send` would hash every page for an ETag.
 */
export function createMetricsHandler({ exposition, negotiate, log }: MetricsDeps): Handler {
  const negotiated = rememberNegotiation(negotiate);
  return async (request, response) => {
    const query = parseCollect(request.url ?? '');
    if ('problem' in query) {
      respondText(response, 400, query.problem);
      return;
    }
    const scrape = await exposition.scrape({ ...negotiated(request), ...query });
    if (scrape.kind === 'unknown-collector') {
      respondText(response, 400, `No such collector. There are: ${scrape.known.join(', ')}.`);
      return;
    }
    response.writeHead(200, headersOf(scrape));
    if (request.method === 'HEAD') response.end();
    else sendBody(response, scrape.body, log);
  };
}

function sendBody(response: ServerResponse, body: ScrapeBody, log: Logger): void {
  if ('parts' in body) {
    const [first, ...others] = body.parts;
    if (others.length === 0) {
      response.end(first);
      return;
    }
    // One write of them all beats a stream by a third.
    response.cork();
    for (const part of body.parts) response.write(part);
    response.end();
  } else {
    // Destroys the stream when the client goes away, and the connection when the stream fails.
    pipeline(body.stream(), response, (error) => {
      if (error != null) log.debug('A scrape ended early', { error });
    });
  }
}

/** A scraper says the same at every scrape, and reading its headers costs a fifth of a small answer. */
const REMEMBERED = 32;

function rememberNegotiation(negotiate: MetricsDeps['negotiate']): (request: IncomingMessage) => Negotiated {
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

function headersOf(page: ScrapedPage): string[] {
  const headers = [
    'Content-Type',
    page.contentType,
    'Content-Length',
    String(page.contentLength),
    'Vary',
    'Accept, Accept-Encoding',
    ...NO_STORE,
  ];
  if (page.contentEncoding !== undefined) headers.push('Content-Encoding', page.contentEncoding);
  return headers;
}
