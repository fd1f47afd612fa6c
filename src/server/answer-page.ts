import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import type { Scrape } from '../exposition/exposition.ts';
import type { Negotiated } from '../exposition/negotiate.ts';
import type { ScrapeBody, ScrapedPage } from '../exposition/scrape.ts';
import type { Logger } from '../runtime/logger.ts';
import { NO_STORE, respondText } from './respond.ts';

/** What a client wants, by its `Accept` and `Accept-Encoding` headers. */
export type Negotiate = (accept: string | undefined, acceptEncoding: string | undefined) => Negotiated;

/**
 * Sends a page of metrics, or says which collectors there are. Headers and body are written directly, since express'
 * `send` would hash every page for an ETag.
 */
export function answerPage(
  request: IncomingMessage,
  response: ServerResponse,
  scrape: Scrape,
  log: Logger,
): void {
  if (scrape.kind === 'unknown-collector') {
    respondText(response, 400, `No such collector. There are: ${scrape.known.join(', ')}.`);
    return;
  }
  response.writeHead(200, headersOf(scrape));
  if (request.method === 'HEAD') response.end();
  else sendBody(response, scrape.body, log);
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
