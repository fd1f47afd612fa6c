import { STATUS_CODES } from 'node:http';
import { type Day, dayAt } from '../calendar.ts';
import { type createFaults, type Fault, lateDays, retryAfter } from '../faults.ts';
import { hex, mix } from '../random.ts';
import type { AnalyticsEndpoint, Answer, Answering, Endpoint, Row } from '../types.ts';
import { answerAnalytics } from './analytics.ts';
import { type Call, endpointOf, isRefusal, type JsonPieces, type KeyHolder, type Refusal } from './call.ts';
import { answerReadiness, answerWiki } from './listings.ts';

interface ApiDeps {
  /** The platform's clock: milliseconds since 1970. */
  readonly now: () => number;
  readonly seed: number;
  readonly keys: ReadonlyMap<string, KeyHolder>;
  readonly strike: ReturnType<typeof createFaults>['strike'];
  /** The oldest existing day, relative to today. */
  readonly oldestOn: (today: Day) => Day;
}

/** Creates the API; it draws the faults of each request in turn. */
export function createApi({ now, seed, keys, strike, oldestOn }: ApiDeps): Answering {
  let requests = 0;

  return async ({ method, url, authorization, signal }) => {
    requests += 1;
    const number = requests;
    const requestId = `req_${hex(mix(seed, number))}`;
    const endpoint = endpointOf(url.pathname);
    const refuse = (refusal: Refusal) => stamped(errorAnswer(endpoint, refusal, requestId));
    if (endpoint === undefined) return refuse({ status: 404, detail: `Not found: ${url.pathname}` });
    if (method !== 'GET') {
      const { headers, ...answer } = refuse({ status: 405, detail: `${method} is not supported` });
      return { ...answer, headers: { ...headers, allow: 'GET' } };
    }
    const holder = keys.get(/^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '');
    const struck = await strike({ endpoint, org: holder?.org.name, number, signal });
    const status = struck.find(({ name }) => /^\d+$/.test(name));
    if (status !== undefined) return failed(status, refuse);
    if (holder === undefined) return refuse({ status: 401, detail: 'API key is missing or invalid' });
    if (isAnalytics(endpoint) && holder.role !== 'owner' && holder.role !== 'manager')
      return refuse({ status: 403, detail: FORBIDDEN });
    const instant = now();
    const today = dayAt(instant);
    const data = answerEndpoint(endpoint, {
      org: holder.org,
      query: url.searchParams,
      now: instant,
      today,
      oldest: oldestOn(today),
      late: lateDays(struck),
    });
    return isRefusal(data) ? refuse(data) : stamped(jsonAnswer(200, data));
  };

  /** With its own clock's date, as any server's answer: clients use it to judge dates. */
  function stamped(answer: Answer): Answer {
    return { ...answer, headers: { date: new Date(now()).toUTCString(), ...answer.headers } };
  }

  function failed(fault: Fault, refuse: (refusal: Refusal) => Answer): Answer {
    const detail = details[fault.name] ?? 'An unexpected error occurred';
    const { headers, ...answer } = refuse({ status: Number(fault.name), detail });
    return { ...answer, headers: { ...headers, ...retryAfter(fault, now()) } };
  }
}

const FORBIDDEN = 'This endpoint requires the Manager or Owner role';

const details: Readonly<Record<string, string>> = {
  401: 'Invalid API key',
  403: FORBIDDEN,
  429: 'Rate limit exceeded, try again later',
  503: 'Down for maintenance',
};

/** Only these require a role; the other endpoints have no known requirement. */
function isAnalytics(endpoint: Endpoint): endpoint is AnalyticsEndpoint {
  return endpoint !== 'readiness' && endpoint !== 'wiki';
}

function answerEndpoint(endpoint: Endpoint, call: Call): JsonPieces | Refusal {
  if (isAnalytics(endpoint)) return answerAnalytics(endpoint, call);
  return endpoint === 'wiki' ? answerWiki(call) : answerReadiness(call);
}

function jsonAnswer(status: number, body: JsonPieces): Answer {
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
