import type { ServerResponse } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import type { Scrape } from '../exposition/exposition.ts';
import type { ScrapedPage } from '../exposition/scrape.ts';
import type { Logger } from '../log/logger.ts';
import { type ExpressRequest, isRefused } from './negotiation.ts';
import { NO_STORE, respondText, writeHeaders } from './respond.ts';
import { sendBody } from './send-body.ts';

/** Sends a page of metrics, or lists the available collectors. */
export type AnswerPage = (request: ExpressRequest, response: ServerResponse, scrape: Scrape) => void;

/**
 * Maximum number of answers that are inflated while they are sent: each holds some 200 KiB until its client has read it.
 * Beyond the maximum, the longest-running answer is aborted.
 */
const MAX_INFLATING = 64;

/**
 * Creates the sender of pages. Headers and body are written directly, because express' `send` would hash every page for
 * an ETag.
 */
export function createPageAnswer(log: Logger): AnswerPage {
  const inflating = new Set<ServerResponse>();

  function inflate(response: ServerResponse, stream: Readable): void {
    const [longest] = inflating;
    if (inflating.size >= MAX_INFLATING && longest !== undefined) {
      inflating.delete(longest);
      longest.destroy();
    }
    inflating.add(response);
    // Destroys the stream when the client goes away, and the connection when the stream fails.
    pipeline(stream, response, (error) => {
      inflating.delete(response);
      if (error != null) log.debug('A scrape ended early', { error });
    });
  }

  return (request, response, scrape) => {
    // The client has already disconnected.
    if (request.socket.destroyed) return;
    if (scrape.kind === 'unknown-collector') {
      return respondText(
        response,
        400,
        `No such collector. Available collectors: ${scrape.known.join(', ')}.`,
      );
    }
    if (scrape.contentEncoding === undefined && isRefused(request, response)) return;
    writeHeaders(response, 200, headersOf(scrape));
    if (request.method === 'HEAD') response.end();
    else if ('parts' in scrape.body) sendBody(response, scrape.body.parts);
    else inflate(response, scrape.body.stream());
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
