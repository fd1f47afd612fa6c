import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Exposition, Scrape } from '../exposition/exposition.ts';
import type { Negotiated } from '../exposition/negotiate.ts';
import { attempt } from '../text/errors.ts';
import { createTurns } from '../work/turns.ts';
import type { AnswerPage } from './answer-page.ts';
import { type ExpressRequest, negotiated } from './negotiation.ts';
import { type Handler, partsOf, respondText } from './respond.ts';

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
  return async (request, response) => {
    const query = parseCollect(request.url);
    if ('problem' in query) return respondText(response, 400, query.problem);
    const scrape = await select(request, response, { ...negotiated(request), ...query });
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
