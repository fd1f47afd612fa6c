import { createHmac } from 'node:crypto';
import type { DatasetName } from '../catalog/dataset.ts';
import type { ApiRequest } from '../catalog/source.ts';
import type { Clock } from '../work/clock.ts';
import type { Exchange, Exchanged } from './exchange.ts';
import type { ReadingMemory } from './reading-memory.ts';
import { classifyResponse, type Outcome } from './response.ts';

/** One try of a request, `budgetMs` milliseconds long at most; failures are values, unless no request may be sent now. */
export type Attempt = (request: ApiRequest, budgetMs: number) => Promise<Outcome>;

/** Counts the traffic: called once per attempt that used the network, and once per retry. */
export interface RequestObserver {
  /**
   * `code`: the HTTP status as text, `timeout` or `network`; `path`: that of the request; `date`: the `Date` header of the
   * answer.
   */
  request(event: {
    org: string;
    endpoint: DatasetName;
    code: string;
    seconds: number;
    path: string;
    date: string | undefined;
  }): void;
  retry(event: { org: string; endpoint: DatasetName }): void;
}

/** The parsed base URLs of an organization. */
type Hosts = Readonly<Record<ApiRequest['host'], URL>>;

/** The URL of a request: the base URL's path precedes the request's. */
function urlOf(request: ApiRequest, hosts: Hosts): URL {
  const url = new URL(hosts[request.host]);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${request.path}`;
  url.search = new URLSearchParams(request.query).toString();
  return url;
}

/**
 * The path of a redirect's target as a request would name it, to be asked directly the next time; undefined if it needs
 * another query, lies outside of the base URL's path, or is an unusual one.
 */
function pathOf(target: URL, asked: URL, request: ApiRequest): string | undefined {
  const base = asked.pathname.slice(0, asked.pathname.length - request.path.length);
  if (target.search !== asked.search || !target.pathname.startsWith(base)) return undefined;
  const path = target.pathname.slice(base.length);
  return /^(?:\/[A-Za-z0-9._~-]+){1,20}$/.test(path) && path.length <= 256 ? path : undefined;
}

interface SingleAttemptDeps {
  readonly org: string;
  readonly hosts: Hosts;
  /** Called before every attempt, so that a rotated key takes effect on the next one. */
  readonly credential: () => Promise<string>;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly memory: ReadingMemory;
  readonly exchange: Exchange;
  readonly clock: Clock;
  readonly observer: RequestObserver;
  readonly closed: AbortSignal;
  /** Throws if no request may be sent now. */
  readonly demand?: (() => void) | undefined;
}

/**
 * Creates the innermost attempt: reads the key, makes one exchange, counts it and classifies its outcome. An answer keeps its
 * memory until it is released.
 */
export function createSingleAttempt(deps: SingleAttemptDeps): Attempt {
  const { org, clock } = deps;
  return async (request, budgetMs) => {
    const key = await deps.credential();
    const ended = endOf(request, deps.closed);
    const started = clock.elapsed();
    const timeoutMs = Math.min(deps.timeoutMs, budgetMs);
    const memory = deps.memory.open(org, deps.maxResponseBytes);
    const bounds = { timeoutMs, ended, memory };
    const url = urlOf(request, deps.hosts);
    deps.demand?.();
    const exchanged = await deps.exchange(url, key, bounds);
    const seconds = (clock.elapsed() - started) / 1000;
    // A request aborted on purpose says nothing about the platform, and its organization may have been removed.
    if (!ended.aborted) {
      const date = exchanged.kind === 'answer' ? exchanged.date : undefined;
      const { endpoint, path } = request;
      deps.observer.request({ org, endpoint, code: codeOf(exchanged), seconds, path, date });
    }
    await clock.slices.next();
    const facts = { key, now: clock.now(), maxResponseBytes: deps.maxResponseBytes };
    const outcome = classifyResponse(exchanged, `GET ${request.path}`, facts);
    if (!outcome.ok) {
      memory.end();
      return outcome;
    }
    const target = exchanged.kind === 'answer' ? exchanged.movedTo : undefined;
    const movedTo = target && pathOf(target, url, request);
    // Paths are shown, so one that repeats the key is not remembered.
    const shown = movedTo?.includes(key) ? undefined : movedTo;
    const more = { key: fingerprintOf(key, org), movedTo: shown, release: memory.end };
    return { ok: true, answer: { ...outcome.answer, ...more } };
  };
}

function codeOf(exchanged: Exchanged): string {
  return 'status' in exchanged ? String(exchanged.status) : exchanged.kind;
}

/** A fingerprint that distinguishes an organization's keys; the key cannot be derived from it. */
function fingerprintOf(key: string, org: string): string {
  return createHmac('sha256', `agent-platform-exporter/${org}`).update(key).digest('hex').slice(0, 16);
}

/** Aborted once nothing waits for the request any longer. */
export function endOf({ signal }: ApiRequest, closed: AbortSignal): AbortSignal {
  return signal === undefined ? closed : AbortSignal.any([closed, signal]);
}
