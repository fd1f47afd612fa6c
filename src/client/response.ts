import type { DatasetName } from '../catalog/dataset.ts';
import type { Platform } from '../catalog/platform.ts';
import type { ApiAnswer } from '../catalog/source.ts';
import { type FailureReason, PlatformError } from '../text/errors.ts';
import { describeErrorBody } from './error-text.ts';
import type { Answered, Exchanged } from './exchange.ts';
import { parseText } from './json-text.ts';

const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504, 529]);
/** A 503 with this text is about the caller's rate, not about the endpoint. */
const RATE_LIMIT = /\brate.?limit|\btoo many requests\b|\bthrottl|\bquota\b/i;
/** What to do about a rate that the platform rejects. */
export const RATE_HINT =
  'Lower --api.requests-per-second; if that changes nothing, another client uses up the rate of this organization.';
const LIMIT_HINT = 'Request less at once: a shorter window or a smaller page.';
const OWN_LIMIT_HINT =
  'Shorter windows and smaller pages are tried. If a single day is too large, raise --api.max-response-bytes and the memory limit of the process.';
const NOT_JSON_HINT =
  'Check that the configured URL is the API, and that no login page or proxy answers for it.';

const LINK_HINT =
  'The platform keeps its reports on this host: check DNS, the network policy and the proxy for it.';
const REFUSED_LINK_HINT =
  'The platform was asked for another link, and that was refused, too: look for a proxy that changes URLs, and check the clock of this machine.';
const SLOW_HINT = 'Check the network; if the platform is slow, raise --api.timeout.';
const CUT_HINT = 'The answer ends too early: look for a proxy or load balancer that cuts it short.';

/** The platform's own rules for reading failed answers. */
export type PlatformWords = {
  readonly [Word in 'advice' | 'pauseOf' | 'isNotYet']?: Platform[Word] | undefined;
};

/** What classifying an exchange depends on besides the exchange. */
interface Facts extends PlatformWords {
  readonly endpoint?: DatasetName | undefined;
  readonly key: string;
  readonly now: number;
  readonly maxResponseBytes: number;
  /** Whether a 204 means that the platform does not have the data yet. */
  readonly mayBeUnready?: boolean | undefined;
  /** Whether the request reads its body line by line, which only a 200 allows. */
  readonly isLines?: boolean;
  /** Whether the request followed a link: its answer says nothing about the key, and may quote the link, which is secret. */
  readonly isLink?: boolean;
}

/** The host of a link refuses it; the link may have expired. */
export class RefusedLink extends PlatformError {
  constructor(message: string) {
    super('server', message, { hint: REFUSED_LINK_HINT });
  }
}

/** Classifies the outcome of an exchange; `subject` names the request (method and path, never the query). */
export function classifyResponse(exchanged: Exchanged, subject: string, facts: Facts): Outcome {
  switch (exchanged.kind) {
    case 'network':
    case 'timeout': {
      const { kind, words, ...details } = exchanged;
      const hint = facts.isLink ? LINK_HINT : kind === 'timeout' ? SLOW_HINT : details.hint;
      return failure(new PlatformError(kind, `${subject}: ${words}`, { ...details, hint }), 'always');
    }
    case 'refused':
      return failure(exchanged.error, 'never');
    case 'too-large': {
      const message = `${subject}: the answer exceeds api.max_response_bytes: it has more than ${facts.maxResponseBytes} bytes, or needs too much memory`;
      return failure(tooLarge(message, exchanged.status, OWN_LIMIT_HINT), 'never');
    }
    case 'redirect': {
      const { status, words } = exchanged;
      const hint = 'Check the scheme, host and path of the configured URL.';
      const message = `${subject} answered ${status}, ${words}`;
      return failure(new PlatformError('server', message, { status, hint }), 'never');
    }
    case 'lines':
      return ofLines(exchanged, subject);
    case 'answer':
      if (exchanged.status === 204 && facts.mayBeUnready) {
        return { ok: true, answer: { body: undefined, bytes: 0, isUnready: true } };
      }
      return exchanged.status >= 200 && exchanged.status <= 299 && !facts.isLines
        ? parse(exchanged, subject, facts.key)
        : refusal(exchanged, subject, facts);
  }
}

function ofLines({ status, bytes, fault }: Extract<Exchanged, { kind: 'lines' }>, subject: string): Outcome {
  if (fault === undefined) return { ok: true, answer: { body: undefined, bytes } };
  const { reason, words, isCut } = fault;
  const hint = reason === 'limit' ? undefined : isCut ? CUT_HINT : NOT_JSON_HINT;
  const error = new PlatformError(reason, `${subject} answered ${status} with ${words}`, { status, hint });
  return failure(error, reason === 'limit' ? 'never' : 'once');
}

function parse(answer: Answered, subject: string, key: string): Outcome {
  const { bytes, status, header } = answer;
  const parsed = parseText(answer.text);
  if ('value' in parsed) return { ok: true, answer: { body: parsed.value, bytes, header } };
  const said = parsed.isCut ? `${bytes} bytes of incomplete JSON` : describeUnreadable(answer, key);
  const message = `${subject} answered ${status} with ${said}`;
  const hint = parsed.isCut ? CUT_HINT : NOT_JSON_HINT;
  // The cause may be a proxy's glitch or an undetected truncation; a second failure in a row is final.
  return failure(new PlatformError('schema', message, { status, hint }), 'once');
}

// Of a successful answer, only an HTML title is quoted: the body may contain rows about people.
function describeUnreadable(answer: Answered, key: string): string {
  if (answer.text.trim() === '') return 'an empty body';
  if (/^\s*</.test(answer.text)) {
    const title = /<title[^<>]*>[^<]*<\/title>/i.exec(answer.text)?.[0] ?? '';
    const said = describeErrorBody('text/html', title, [key]);
    return said === '' ? 'a web page in place of JSON' : `a web page in place of JSON: ${said}`;
  }
  return `${answer.bytes} bytes that are not JSON`;
}

function refusal(answer: Answered, subject: string, facts: Facts): Failure {
  const { endpoint, key, now, advice, isNotYet, pauseOf, isLink } = facts;
  const { status } = answer;
  if (isLink) return refusalOfLink(answer, subject, now);
  const said = describeErrorBody(answer.contentType, answer.text, [key]);
  const message = `${subject} answered ${status}${said === '' ? '' : `: ${said}`}`;
  if (status === 413) return failure(tooLarge(message, status, LIMIT_HINT), 'never');
  const { header = () => undefined } = answer;
  // A date is relative to the server's clock; another clock could be hours off.
  const pause = pauseOf?.({ status, said, header, now: parseHttpDate(answer.date) ?? now });
  const reason = pause === undefined ? reasonOf(status, said) : 'throttled';
  const hint = reason === 'throttled' ? RATE_HINT : advice?.(status, said, endpoint);
  const error = new PlatformError(reason, message, {
    status,
    hint,
    isNotYet: isNotYet?.({ status, message }),
  });
  if (pause !== undefined) return { ...failure(error, 'always'), retryAfterMs: bounded(pause * 1000) };
  return retriable(error, answer, now);
}

/** Classifies a failed answer to a link. Quotes nothing of the body, which may repeat the secret link. */
function refusalOfLink(answer: Answered, subject: string, now: number): Failure {
  const { status } = answer;
  const isRedirect = status >= 300 && status <= 399;
  const message = `${subject} answered ${status}${isRedirect ? ', a redirect, which is not followed' : ''}`;
  if (status === 401 || status === 403 || status === 404) return failure(new RefusedLink(message), 'never');
  const reason = status === 429 ? 'throttled' : 'server';
  const hint = reason === 'throttled' ? RATE_HINT : undefined;
  return retriable(new PlatformError(reason, message, { status, hint }), answer, now);
}

function retriable(error: PlatformError, { status, date, retryAfter }: Answered, now: number): Failure {
  if (!RETRIED_STATUSES.has(status)) return failure(error, 'never');
  // A date is relative to the server's clock; another clock could be hours off.
  const serverNow = parseHttpDate(date) ?? now;
  return { ...failure(error, 'always'), retryAfterMs: parseRetryAfter(retryAfter, serverNow) };
}

function reasonOf(status: number, said: string): FailureReason {
  if (status === 401) return 'auth';
  if (status === 403) return 'role';
  return status === 429 || (status === 503 && RATE_LIMIT.test(said)) ? 'throttled' : 'server';
}

function tooLarge(message: string, status: number, hint: string): PlatformError {
  return new PlatformError('limit', message, { status, hint, tooLarge: true });
}

function failure(error: PlatformError, retry: Retry): Failure {
  return { ok: false, error, retry };
}

/** Whether a retry can help; `once`: a second failure of this kind is final. */
type Retry = 'never' | 'once' | 'always';

export interface Failure {
  readonly ok: false;
  readonly error: PlatformError;
  readonly retry: Retry;
  /** How long the server asked to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

export type Outcome = { readonly ok: true; readonly answer: ApiAnswer } | Failure;

/** The maximum pause, so that a wrong header cannot silence an organization for long. */
const MAX_PAUSE_MS = 3_600_000;

/**
 * Reads a `Retry-After` header, seconds or an HTTP date, in milliseconds, at most an hour; undefined if it is missing
 * or unreadable. A date is relative to `now` (milliseconds since the epoch), which should be the server's own time.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d+(\.\d+)?$/.test(text)) return bounded(Math.ceil(Number(text) * 1000));
  const at = parseHttpDate(text);
  return at === undefined ? undefined : bounded(at - now);
}

function bounded(ms: number): number {
  return Math.min(Math.max(ms, 0), MAX_PAUSE_MS);
}

/** Parses an HTTP date in any of its three formats to milliseconds since the epoch; undefined if it is invalid. */
export function parseHttpDate(text: string | undefined): number | undefined {
  // Every format of an HTTP date begins with the name of a weekday; Date.parse alone accepts far more.
  if (text === undefined || !/^(mon|tue|wed|thu|fri|sat|sun)/i.test(text)) return undefined;
  // The asctime format has no time zone and means UTC.
  const at = Date.parse(/gmt|utc|[+-]\d{4}$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : at;
}
