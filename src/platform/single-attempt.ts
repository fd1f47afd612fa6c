import type { Clock } from '../runtime/clock.ts';
import { PlatformError } from '../runtime/errors.ts';
import type { Attempt, RequestObserver } from './attempt.ts';
import { fingerprintOfKey, readKey } from './credential.ts';
import { endOf } from './deadline.ts';
import type { Exchange, Exchanged } from './exchange.ts';
import { judge } from './judge.ts';
import { type Hosts, urlOf } from './request-url.ts';

export interface SingleAttemptDeps {
  readonly org: string;
  readonly hosts: Hosts;
  /** Asked before every attempt, so that a rotated key is in use on the next one. */
  readonly credential: () => Promise<string>;
  readonly timeoutMs: () => number;
  readonly maxResponseBytes: () => number;
  readonly exchange: Exchange;
  readonly clock: Clock;
  readonly observer: RequestObserver;
  readonly closed: AbortSignal;
}

/** Creates the innermost attempt: key, one exchange, its count and its meaning. */
export function createSingleAttempt(deps: SingleAttemptDeps): Attempt {
  const { org, clock } = deps;
  return async (request, budgetMs) => {
    const key = await readKey(deps.credential);
    if (key instanceof PlatformError) return { ok: false, error: key, retry: 'never' };
    const ended = endOf(request, deps.closed);
    const started = clock.elapsed();
    const timeoutMs = Math.min(deps.timeoutMs(), budgetMs);
    const exchanged = await deps.exchange(urlOf(request, deps.hosts), key, { timeoutMs, ended });
    const seconds = (clock.elapsed() - started) / 1000;
    // What was broken off on purpose says nothing about the platform, and its organization may be gone.
    if (!ended.aborted)
      deps.observer.request({ org, endpoint: request.endpoint, code: codeOf(exchanged), seconds });
    const facts = { key, now: clock.now(), maxResponseBytes: deps.maxResponseBytes() };
    const outcome = judge(exchanged, `GET ${request.path}`, facts);
    return outcome.ok
      ? { ok: true, answer: { ...outcome.answer, key: fingerprintOfKey(key, org) } }
      : outcome;
  };
}

function codeOf(exchanged: Exchanged): string {
  return 'status' in exchanged ? String(exchanged.status) : exchanged.kind;
}
