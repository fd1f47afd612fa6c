import type { Logger } from '../../log/logger.ts';
import { HttpError } from '../../net/http-error.ts';
import { type BackoffBounds, backoffMs } from '../../work/backoff.ts';
import type { Clock } from '../../work/clock.ts';
import { BackfillError, type BackfillTarget } from '../target.ts';
import type { Acknowledged } from './acknowledged.ts';
import { type AnswerClass, classifyAnswer, type Post } from './post.ts';
import { createWriteRequests, type WriteRequest } from './write-requests.ts';

export interface RemoteTargetDeps {
  readonly post: Post;
  /** The labels of the live target. */
  readonly labels: Readonly<Record<string, string>>;
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  readonly batchSamples: number;
  readonly acknowledged: Acknowledged;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
}

/** How long a run that is being stopped waits for answers. */
const GRACE_MS = 3000;
const ATTEMPTS = 10;
const BACKOFF: BackoffBounds = { baseMs: 1000, capMs: 30_000 };
/** A target that demands a longer wait is given up. */
const MAX_WAIT_MS = 600_000;

/**
 * Sends past samples by remote write, and records what was acknowledged. It gathers as many samples as its concurrent
 * requests can carry, divides them by series and sends the requests at once; the next ones wait for all of them, so that
 * no sample of a series overtakes an older one. Meanwhile the next samples are gathered and encoded. A Prometheus without
 * a window for samples out of order accepts the days of an empty store in this way, because it judges requests that arrive
 * together by what it had before them.
 */
export function createRemoteTarget(deps: RemoteTargetDeps): BackfillTarget {
  const { acknowledged, batchSamples, concurrency } = deps;
  const requests = createWriteRequests(deps.labels);
  const aborting = new AbortController();
  let samples = 0;
  /** Notes about samples that are gathered and not yet sent. */
  let notes: (() => void)[] = [];
  /** The last round of requests; rejects once one of them has failed and none is left. */
  let sending: Promise<void> = Promise.resolve();

  async function dispatch(): Promise<void> {
    const round = requests.take(batchSamples);
    const noted = notes;
    notes = [];
    await sending;
    sending = send(round, noted);
    // Whoever waits for the round reports its failure.
    sending.catch(() => undefined);
  }

  async function send(round: readonly WriteRequest[], noted: readonly (() => void)[]): Promise<void> {
    const queue = round.values();
    // The first failure remains the reason.
    const stop = (reason: unknown) => aborting.abort(reason);
    await Promise.all(Array.from({ length: concurrency }, () => sendEach(queue).catch(stop)));
    aborting.signal.throwIfAborted();
    for (const note of noted) note();
    await acknowledged.save();
  }

  async function sendEach(queue: Iterable<WriteRequest>): Promise<void> {
    for (const request of queue) {
      await deliver(request, deps, aborting.signal);
      samples += request.samples;
    }
  }

  async function flush(): Promise<void> {
    await dispatch();
    await sending;
  }

  return {
    get samples() {
      return samples;
    },
    stretches: (months) => months,
    missing: acknowledged.missing,
    begin: async () => true,
    async add(org, page) {
      for (const family of page) {
        const add = requests.adderOf(org, family);
        for (const sample of family.samples()) {
          add(sample);
          if (requests.samples >= concurrency * batchSamples) await dispatch();
        }
      }
    },
    added(subjects, stamps) {
      const note = () => acknowledged.note(subjects, stamps);
      if (requests.samples > 0) notes.push(note);
      else sending.then(note, () => undefined);
    },
    end: async () => undefined,
    async finish() {
      await flush();
      await acknowledged.save();
    },
    async abandon(graceful) {
      const ended = new AbortController();
      const grace = deps.clock.wait(GRACE_MS, ended.signal).catch(() => undefined);
      if (graceful) await Promise.race([flush().catch(() => undefined), grace]);
      ended.abort();
      // Ends requests in progress.
      aborting.abort(new Error('the backfill was stopped'));
      await sending.catch(() => undefined);
      await acknowledged.save();
    },
    close: deps.post.close,
  };
}

/**
 * Delivers a write request and retries transient failures: no answer, 429 and 5xx, with exponential back-off and full
 * jitter, no sooner than `Retry-After`. Throws a `BackfillError` if the target rejects it or keeps failing.
 */
async function deliver(
  { body, samples }: WriteRequest,
  { post, clock, random, log }: RemoteTargetDeps,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted();
    const answer = await post(body, signal).then(classifyAnswer, unanswered);
    if (answer.kind === 'accepted') return;
    signal.throwIfAborted();
    if (answer.kind === 'refused') {
      throw new BackfillError(`write request refused (samples: ${samples}): ${answer.words}`, answer.hint);
    }
    const wait = Math.max(answer.retryAfterMs ?? 0, backoffMs(attempt, BACKOFF, random));
    if (attempt === ATTEMPTS || wait > MAX_WAIT_MS) {
      throw new BackfillError(answer.words, 'Run the same command again later: it resumes where it stopped.');
    }
    log.debug('Retrying a write request', { error: answer.words, wait_seconds: wait / 1000 });
    await clock.wait(wait, signal);
  }
}

function unanswered(thrown: unknown): AnswerClass {
  const reason = thrown instanceof HttpError ? thrown.message : 'connection failed';
  return { kind: 'later', words: `no answer from the target (${reason})`, retryAfterMs: undefined };
}
