import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Day, dayAt, hourMs } from '../calendar.ts';
import type { FaultInjector, RequestFaults } from '../faults/injector.ts';
import { mix } from '../random.ts';
import type { Endpoint, SeenRequest } from '../types.ts';
import { answerAnalytics } from './analytics.ts';
import { type Answer, errorAnswer, jsonAnswer } from './answer.ts';
import {
  type Call,
  endpointOf,
  isRefusal,
  type JsonPieces,
  type KeyHolder,
  type KeyRing,
  type Refusal,
  roleRefusal,
  type Tenant,
} from './call.ts';
import { faultAnswer, otherBody } from './fault-answers.ts';
import { answerReadiness, answerWiki } from './listings.ts';
import { send } from './send.ts';

interface HandlerDeps {
  readonly now: () => number;
  readonly seed: number;
  readonly keys: KeyRing;
  readonly injector: FaultInjector;
  readonly log: RequestLog;
  /** The organization whose answers replace others if a fault requires it. */
  readonly stranger: Tenant;
  /** The oldest existing day, relative to today. */
  readonly oldestOn: (today: Day) => Day;
}

/** Creates the whole HTTP interface as one request listener. */
export function createHandler(deps: HandlerDeps): RequestListener {
  let requests = 0;
  const sent = new Set<string>();

  return (request, response) => {
    requests += 1;
    void handle(request, response, requests).catch(() => response.destroy());
  };

  async function handle(request: IncomingMessage, response: ServerResponse, number: number): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://sandbox.invalid');
    const requestId = `req_${mix(deps.seed, number).toString(16).padStart(8, '0')}`;
    const holder = deps.keys.holder(request.headers.authorization);
    const endpoint = endpointOf(url.pathname);
    if (endpoint === undefined) return answerWith(errorAnswer(endpoint, notFound(url), requestId, undefined));
    if (request.method !== 'GET') return answerWith(notAllowed(endpoint, request, requestId));

    const faults = deps.injector.forRequest(number, { endpoint, org: holder?.tenant.org.name });
    const slow = faults.strikes('slow');
    if (slow !== undefined) await waited(response, Number(slow.detail));
    if (faults.strikes('close') !== undefined) {
      note(0);
      request.socket.destroy();
      return;
    }
    const now = deps.now() - Number(faults.strikes('clock-behind')?.detail ?? 0) * hourMs;
    const answer =
      faultAnswer(faults, { endpoint, url, requestId, now }) ??
      rightAnswer(endpoint, url.searchParams, holder, faults, now, requestId);
    return answerWith(answer, faults);

    function answerWith(given: Answer, struck?: RequestFaults): Promise<void> {
      note(given.status);
      const behindMs = Number(struck?.strikes('clock-behind')?.detail ?? 0) * hourMs;
      // By its own clock, as with any server: clients use it to judge dates.
      const headers = { date: new Date(deps.now() - behindMs).toUTCString(), ...given.headers };
      return send(response, { ...given, headers }, struck);
    }
    function note(status: number): void {
      deps.log.add({
        method: request.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        status,
        org: holder?.tenant.org.name,
      });
    }
  }

  function rightAnswer(
    endpoint: Endpoint,
    query: URLSearchParams,
    holder: KeyHolder | undefined,
    faults: RequestFaults,
    now: number,
    requestId: string,
  ): Answer {
    const refuse = (refusal: Refusal) => errorAnswer(endpoint, refusal, requestId, otherBody(faults));
    if (holder === undefined) return refuse({ status: 401, detail: 'API key is missing or invalid' });
    const barred = roleRefusal(endpoint, holder.role);
    if (barred !== undefined) return refuse(barred);
    const today = dayAt(now);
    const tenant = faults.strikes('other-org') === undefined ? holder.tenant : deps.stranger;
    const call: Call = {
      ...{ tenant, query, faults, now, today, oldest: deps.oldestOn(today) },
      sentBefore(what) {
        const size = sent.size;
        return sent.add(`${tenant.org.name} ${what}`).size === size;
      },
    };
    const data = answerEndpoint(endpoint, call);
    return isRefusal(data) ? refuse(data) : jsonAnswer(200, data);
  }
}

function answerEndpoint(endpoint: Endpoint, call: Call): JsonPieces | Refusal {
  if (endpoint === 'readiness') return answerReadiness(call);
  if (endpoint === 'wiki') return answerWiki(call);
  return answerAnalytics(endpoint, call);
}

function notFound(url: URL): Refusal {
  return { status: 404, detail: `Not found: ${url.pathname}` };
}

function notAllowed(endpoint: Endpoint, { method }: IncomingMessage, requestId: string): Answer {
  const answer = errorAnswer(
    endpoint,
    { status: 405, detail: `${method} is not supported` },
    requestId,
    undefined,
  );
  return { ...answer, headers: { ...answer.headers, allow: 'GET' } };
}

/** Waits, at most until the client disconnects. */
function waited(response: ServerResponse, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    response.once('close', done);
    function done(): void {
      clearTimeout(timer);
      resolve();
    }
  });
}

/** The newest requests, oldest first. */
interface RequestLog {
  add(request: SeenRequest): void;
  all(): readonly SeenRequest[];
}

/** Creates a log that drops the oldest requests beyond `capacity`. */
export function createRequestLog(capacity: number): RequestLog {
  const seen: SeenRequest[] = [];
  return {
    add(request) {
      seen.push(request);
      if (seen.length > capacity) seen.shift();
    },
    all: () => [...seen],
  };
}
