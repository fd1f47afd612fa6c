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
 * no sample of a series overtakes an older one. Meanwhile the next samples are gathered and encoded. Prometheus needs a
 * window for samples out of order, even if it is empty: of requests with the same days, one may be there before the others.
 */
export class RemoteTarget implements BackfillTarget {
  readonly #deps: RemoteTargetDeps;
  readonly #requests: ReturnType<typeof createWriteRequests>;
  readonly #aborting = new AbortController();
  #samples = 0;
  /** Notes about samples that are gathered and not yet sent. */
  #notes: (() => void)[] = [];
  /** The last round of requests; rejects once one of them has failed and none is left. */
  #sending: Promise<void> = Promise.resolve();

  constructor(deps: RemoteTargetDeps) {
    this.#deps = deps;
    this.#requests = createWriteRequests(deps.labels);
  }

  get samples(): number {
    return this.#samples;
  }

  stretches<Month>(months: readonly Month[]): readonly Month[] {
    return months;
  }

  missing(...asked: Parameters<Acknowledged['missing']>): ReturnType<Acknowledged['missing']> {
    return this.#deps.acknowledged.missing(...asked);
  }

  async begin(): Promise<boolean> {
    return true;
  }

  async add(...[org, page]: Parameters<BackfillTarget['add']>): Promise<void> {
    const { concurrency, batchSamples } = this.#deps;
    for (const family of page) {
      const add = this.#requests.adderOf(org, family);
      for (const sample of family.samples()) {
        add(sample);
        if (this.#requests.samples >= concurrency * batchSamples) await this.#dispatch();
      }
    }
  }

  added(...[subjects, stamps]: Parameters<BackfillTarget['added']>): void {
    const note = () => this.#deps.acknowledged.note(subjects, stamps);
    if (this.#requests.samples > 0) this.#notes.push(note);
    else this.#sending.then(note, () => undefined);
  }

  async end(): Promise<void> {}

  async finish(): Promise<void> {
    await this.#flush();
    await this.#deps.acknowledged.save();
  }

  async abandon(graceful: boolean): Promise<void> {
    const ended = new AbortController();
    const grace = this.#deps.clock.wait(GRACE_MS, ended.signal).catch(() => undefined);
    if (graceful) await Promise.race([this.#flush().catch(() => undefined), grace]);
    ended.abort();
    // Ends requests in progress.
    this.#aborting.abort(new Error('the backfill was stopped'));
    await this.#sending.catch(() => undefined);
    await this.#deps.acknowledged.save();
  }

  close(): void {
    this.#deps.post.close();
  }

  async #dispatch(): Promise<void> {
    const round = this.#requests.take(this.#deps.batchSamples);
    const noted = this.#notes;
    this.#notes = [];
    await this.#sending;
    this.#sending = this.#send(round, noted);
    // Its failure goes to those who wait for the round.
    this.#sending.catch(() => undefined);
  }

  async #send(round: readonly WriteRequest[], noted: readonly (() => void)[]): Promise<void> {
    const queue = round.values();
    // The first failure remains the reason.
    const stop = (reason: unknown) => this.#aborting.abort(reason);
    const length = this.#deps.concurrency;
    await Promise.all(Array.from({ length }, () => this.#sendEach(queue).catch(stop)));
    this.#aborting.signal.throwIfAborted();
    for (const note of noted) note();
    await this.#deps.acknowledged.save();
  }

  async #sendEach(queue: Iterable<WriteRequest>): Promise<void> {
    for (const request of queue) {
      await deliver(request, this.#deps, this.#aborting.signal);
      this.#samples += request.samples;
    }
  }

  async #flush(): Promise<void> {
    await this.#dispatch();
    await this.#sending;
  }
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
