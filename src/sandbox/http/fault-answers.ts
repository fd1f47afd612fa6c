import type { RequestFaults } from '../faults/injector.ts';
import type { Endpoint } from '../types.ts';
import { type Answer, errorAnswer, htmlAnswer } from './answer.ts';
import { newReadinessPath, type Refusal, readinessPath } from './call.ts';
import { hostileAnswer } from './hostile-answers.ts';

interface FaultyRequest {
  readonly endpoint: Endpoint;
  readonly url: URL;
  readonly requestId: string;
  readonly now: number;
}

/** The answer of an active fault instead of the right one, if any. */
export function faultAnswer(faults: RequestFaults, request: FaultyRequest): Answer | undefined {
  return (
    throttled(faults, request) ??
    underMaintenance(faults, request) ??
    badDay(faults, request) ??
    failed(faults, request) ??
    (faults.strikes('401') && refused(401, 'Invalid API key')) ??
    (faults.strikes('403') && refused(403, 'This endpoint requires the Manager or Owner role')) ??
    page(faults) ??
    (faults.strikes('empty-body') && {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: [],
    }) ??
    moved(faults, request) ??
    hostileAnswer(faults, request.url)
  );

  function refused(status: number, detail: string): Answer {
    return errorAnswer(request.endpoint, { status, detail }, request.requestId, otherBody(faults));
  }
}

/** The format of errors, if a fault determines it. */
export function otherBody(faults: RequestFaults): string | undefined {
  return faults.strikes('error-body')?.detail;
}

function throttled(faults: RequestFaults, request: FaultyRequest): Answer | undefined {
  const fault = faults.strikes('429');
  const refusal = { status: 429, detail: 'Rate limit exceeded, try again later' };
  return fault && later(faults, request, refusal, fault.detail);
}

function underMaintenance(faults: RequestFaults, request: FaultyRequest): Answer | undefined {
  const fault = faults.strikes('maintenance');
  const refusal = { status: 503, detail: 'Down for maintenance' };
  return fault && later(faults, request, refusal, fault.detail);
}

/** A rejection with the time of the next try: a number of seconds, or `date` for the date in two seconds. */
function later(
  faults: RequestFaults,
  { endpoint, requestId, now }: FaultyRequest,
  refusal: Refusal,
  detail: string,
): Answer {
  const after = detail === 'date' ? new Date(now + 2000).toUTCString() : detail;
  const answer = errorAnswer(endpoint, refusal, requestId, otherBody(faults));
  return { ...answer, headers: { ...answer.headers, 'retry-after': after } };
}

/** A day that breaks every range that contains it, and days that the platform no longer serves. */
function badDay(faults: RequestFaults, { endpoint, url, requestId }: FaultyRequest): Answer | undefined {
  const from = url.searchParams.get('startDate');
  const to = url.searchParams.get('endDate');
  if (from === null || to === null) return undefined;
  const oldest = faults.applies('oldest-day')?.detail;
  if (oldest !== undefined && from < oldest) {
    return refused({ status: 400, detail: `startDate must not be before ${oldest}` });
  }
  const bad = faults.all('bad-day').find(({ detail }) => from <= day(detail) && day(detail) <= to);
  if (bad === undefined) return undefined;
  const status = Number(bad.detail.split(':')[1] ?? 500);
  return refused({ status, detail: `The data of ${day(bad.detail)} could not be read` });

  function refused(refusal: Refusal): Answer {
    return errorAnswer(endpoint, refusal, requestId, otherBody(faults));
  }
  function day(detail: string): string {
    return detail.split(':')[0] ?? '';
  }
}

function failed(faults: RequestFaults, { endpoint, requestId }: FaultyRequest): Answer | undefined {
  const fault = faults.strikes('500');
  if (fault === undefined) return undefined;
  const refusal = { status: Number(fault.detail), detail: 'An unexpected error occurred' };
  return errorAnswer(endpoint, refusal, requestId, otherBody(faults));
}

function page(faults: RequestFaults): Answer | undefined {
  const fault = faults.strikes('html');
  return fault && htmlAnswer(Number(fault.detail));
}

function moved(faults: RequestFaults, { endpoint, url, requestId }: FaultyRequest): Answer | undefined {
  if (endpoint !== 'readiness') return undefined;
  const gone = faults.strikes('moved');
  if (gone !== undefined && url.pathname === readinessPath) {
    const refusal = { status: Number(gone.detail), detail: `Not found: ${url.pathname}` };
    return errorAnswer(endpoint, refusal, requestId, otherBody(faults));
  }
  const elsewhere = faults.strikes('redirect-elsewhere');
  if (elsewhere !== undefined) return redirect(elsewhere.detail + newReadinessPath + url.search);
  const within = faults.strikes('redirect') !== undefined && url.pathname === readinessPath;
  return within ? redirect(newReadinessPath + url.search) : undefined;
}

function redirect(location: string): Answer {
  return { status: 308, headers: { location }, body: [] };
}
