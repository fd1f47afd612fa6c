import type { RequestFaults } from '../faults/switchboard.ts';
import type { Endpoint } from '../types.ts';
import { type Answer, errorAnswer, htmlAnswer } from './answer.ts';
import { hostileAnswer } from './hostile-answers.ts';
import { newReadinessPath, readinessPath } from './routes.ts';

export interface FaultyRequest {
  readonly endpoint: Endpoint;
  readonly url: URL;
  readonly requestId: string;
  readonly now: number;
}

/** The answer that a fault gives in place of the right one, if one strikes. */
export function faultAnswer(faults: RequestFaults, request: FaultyRequest): Answer | undefined {
  return (
    throttled(faults, request) ??
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

/** How errors are to look, where a fault says so. */
export function otherBody(faults: RequestFaults): string | undefined {
  return faults.strikes('error-body')?.detail;
}

function throttled(faults: RequestFaults, { endpoint, requestId, now }: FaultyRequest): Answer | undefined {
  const fault = faults.strikes('429');
  if (fault === undefined) return undefined;
  const refusal = { status: 429, detail: 'Rate limit exceeded, try again later' };
  const after = fault.detail === 'date' ? new Date(now + 2000).toUTCString() : fault.detail;
  const answer = errorAnswer(endpoint, refusal, requestId, otherBody(faults));
  return { ...answer, headers: { ...answer.headers, 'retry-after': after } };
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

function moved(faults: RequestFaults, { endpoint, url }: FaultyRequest): Answer | undefined {
  if (endpoint !== 'readiness') return undefined;
  const elsewhere = faults.strikes('redirect-elsewhere');
  if (elsewhere !== undefined) return redirect(elsewhere.detail + newReadinessPath + url.search);
  const within = faults.strikes('redirect') !== undefined && url.pathname === readinessPath;
  return within ? redirect(newReadinessPath + url.search) : undefined;
}

function redirect(location: string): Answer {
  return { status: 308, headers: { location }, body: [] };
}
