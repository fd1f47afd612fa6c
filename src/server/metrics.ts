import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Exposition, Scrape } from '../exposition/exposition.ts';
import { createNegotiation, type Negotiated } from '../exposition/negotiate.ts';
import type { ScrapedPage } from '../exposition/scrape.ts';
import type { Logger } from '../log/logger.ts';
import { attempt } from '../text/errors.ts';
import { createTurns } from '../work/turns.ts';
import {
  type ExpressRequest,
  type Handler,
  isRefused,
  NO_STORE,
  partsOf,
  respondText,
  sendBody,
  writeHeaders,
} from './respond.ts';

/**
 * Waits for this request's turn, and resolves with the result of `select`; undefined if the client has disconnected by then.
 * Concurrent requests with the same key share one result.
 */
type TakePart = (
  request: Pick<IncomingMessage, 'socket'>,
  key: unknown,
  select: () => Promise<Scrape>,
) => Promise<Scrape | undefined>;

interface PartUnderWay {
  readonly clients: Set<Socket>;
  readonly scrape: Promise<Scrape | undefined>;
}

/** Maximum number of parts of the page that are selected and deflated at the same time. */
const PARTS_AT_ONCE = 2;

/** Limits concurrent scrapes of parts of the page: deflating a part must not delay scrapes of the whole page. */
export function createPartTurns(): TakePart {
  const turns = createTurns({ limit: PARTS_AT_ONCE });
  const underWay = new Map<string, PartUnderWay>();

  async function take(key: string, clients: Set<Socket>, select: () => Promise<Scrape>) {
    const turn = await turns.take('parts', 'other');
    try {
      // A scrape that has arrived meanwhile comes first.
      await setImmediate();
      return [...clients].every(({ destroyed }) => destroyed) ? undefined : await select();
    } finally {
      underWay.delete(key);
      turn.end();
    }
  }

  return ({ socket }, key, select) => {
    const text = JSON.stringify(key);
    const known = underWay.get(text);
    if (known !== undefined) {
      known.clients.add(socket);
      return known.scrape;
    }
    const clients = new Set([socket]);
    const scrape = take(text, clients, select);
    underWay.set(text, { clients, scrape });
    return scrape;
  };
}

export interface ScrapeDeps {
  readonly exposition: Pick<Exposition, 'scrape' | 'probe'>;
  readonly answerPage: AnswerPage;
  readonly takePart: TakePart;
  /** Whether the last run of every collector of an organization succeeded; undefined for an unknown organization. */
  probe(org: string): boolean | undefined;
}

/** Serves scrapes: negotiates the format and sends the prepared bytes. */
export function createMetricsHandler(deps: ScrapeDeps): Handler<ExpressRequest> {
  const { exposition, takePart } = deps;
  return selecting(deps, async (request, _response, asked) => {
    const select = () => exposition.scrape(asked);
    return asked.collect === undefined ? select() : takePart(request, asked, select);
  });
}

/**
 * Serves one configured organization's series and `probe_success`. The target is an organization name and never an
 * address: no request leaves the process.
 */
export function createProbeHandler(deps: ScrapeDeps): Handler<ExpressRequest> {
  const { exposition, takePart, probe } = deps;
  return selecting(deps, async (request, response, collected) => {
    const [, query] = partsOf(request.url);
    const [target = '', another] = new URLSearchParams(query).getAll('target');
    const org = target.normalize();
    if (org === '' || another !== undefined) {
      respondText(response, 400, 'The name of one organization is required, as in /probe?target=acme.');
      return undefined;
    }
    const success = probe(org);
    if (success === undefined) {
      respondText(response, 404, 'No organization with this name is configured.');
      return undefined;
    }
    const asked = { ...collected, org, success };
    return takePart(request, asked, () => exposition.probe(asked));
  });
}

/** Sends the scrape that `select` returns for the requested format and collectors, or answers with an error. */
function selecting(
  { answerPage }: Pick<ScrapeDeps, 'answerPage'>,
  select: (
    request: ExpressRequest,
    response: ServerResponse,
    asked: Negotiated & Collected,
  ) => Promise<Scrape | undefined>,
): Handler<ExpressRequest> {
  const negotiate = createNegotiation();
  return async (request, response) => {
    const query = parseCollect(request.url);
    if ('problem' in query) return respondText(response, 400, query.problem);
    const { accept, 'accept-encoding': coding } = request.headers;
    const scrape = await select(request, response, { ...negotiate(accept, coding), ...query });
    if (scrape !== undefined) answerPage(request, response, scrape);
  };
}

const PARAMETER = 'collect[]';

/** The collectors that a query selects: everything if absent. */
interface Collected {
  readonly collect?: readonly string[];
}

/**
 * Parses `collect[]` of a request's URL. It may be repeated; other parameters are ignored, but near misses of this one
 * are rejected, because ignoring them would answer with everything.
 */
export function parseCollect(url?: string): Collected | { readonly problem: string } {
  const [, query] = partsOf(url);
  if (query === '') return {};
  if (attempt(() => decodeURIComponent(query)) === undefined)
    return { problem: 'The query string is not correctly percent-encoded.' };
  const names = new Set<string>();
  for (const [parameter, value] of new URLSearchParams(query)) {
    if (parameter === PARAMETER) {
      if (value === '')
        return { problem: `${PARAMETER} needs the name of a collector, as in ${PARAMETER}=tokens.` };
      names.add(value);
    } else if (parameter.startsWith('collect')) {
      return {
        problem: `The parameter that selects collectors is ${PARAMETER}, as in ${PARAMETER}=tokens.`,
      };
    }
  }
  return names.size === 0 ? {} : { collect: [...names] };
}

/** Sends a page of metrics, or lists the available collectors. */
type AnswerPage = (request: ExpressRequest, response: ServerResponse, scrape: Scrape) => void;

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
