import { type BackoffBounds, jitteredBackoffMs } from '../../runtime/backoff.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Logger } from '../../runtime/logger.ts';
import { BackfillError } from '../target.ts';
import { type Answer, classifyAnswer } from './response.ts';

/** A compressed write request. */
export interface WriteRequest {
  readonly body: Buffer;
  /** The number of its samples. */
  readonly samples: number;
}

/** The target did not answer; `message` is the reason, which names a proxy but contains no secret. */
export class NoAnswer extends Error {}

/** Sends one compressed write request; rejects with a `NoAnswer` if there is none. */
export type Post = (body: Buffer, signal: AbortSignal) => Promise<Answer>;

export interface DeliveryDeps {
  readonly post: Post;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
}

const ATTEMPTS = 10;
const BACKOFF: BackoffBounds = { baseMs: 1000, capMs: 30_000 };
/** A target that demands a longer wait is given up. */
const MAX_WAIT_MS = 600_000;

/**
 * Delivers a write request and retries transient failures: no answer, 429 and 5xx, with exponential back-off and full
 * jitter, no sooner than `Retry-After`. Throws a `BackfillError` if the target rejects it or keeps failing.
 */
export async function deliver(request: WriteRequest, deps: DeliveryDeps, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { words, retryAfterMs = 0 } = await attemptOnce(request, deps, signal);
    if (words === undefined) return;
    const wait = Math.max(retryAfterMs, jitteredBackoffMs(attempt, deps.random, BACKOFF));
    if (attempt === ATTEMPTS || wait > MAX_WAIT_MS) {
      throw new BackfillError(words, 'Run the same command again later: it resumes where it stopped.');
    }
    deps.log.debug('Retrying a write request', { error: words, wait_seconds: wait / 1000 });
    await deps.clock.wait(wait, signal);
  }
}

/** The transient failure of an attempt; undefined if the request was accepted. */
async function attemptOnce(
  { body, samples }: WriteRequest,
  { post }: DeliveryDeps,
  signal: AbortSignal,
): Promise<{ readonly words?: string; readonly retryAfterMs?: number | undefined }> {
  signal.throwIfAborted();
  let answer: Answer;
  try {
    answer = await post(body, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    return {
      words: `no answer from the target (${thrown instanceof NoAnswer ? thrown.message : 'connection failed'})`,
    };
  }
  const verdict = classifyAnswer(answer);
  if (verdict.kind === 'accepted') return {};
  if (verdict.kind === 'refused') {
    throw new BackfillError(`write request refused (samples: ${samples}): ${verdict.words}`, verdict.hint);
  }
  return { words: verdict.words, retryAfterMs: answer.retryAfterMs };
}
