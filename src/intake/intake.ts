import { setImmediate } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Instant } from '../catalog/day.ts';
import type { Logger } from '../log/logger.ts';
import { NotStored } from '../store/database.ts';
import { messageOf } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import { type Counts, waitingAt } from './counts.ts';
import type { HookEvent } from './event.ts';
import { HookInstruments } from './metrics.ts';
import type { HookStore } from './store.ts';

/** The result of storing the events of one request. */
interface IntakeResult {
  readonly accepted: number;
  readonly duplicates: number;
}

interface IntakeParts {
  readonly store: HookStore;
  /** The registry to which the metrics about hook events are added. */
  readonly registry: Registry;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Logger;
}

/** Maximum number of events per commit: they share one wait for the disk, and scrapes wait no longer than that. */
const MAX_TOGETHER = 1_000;
/** Maximum number of events waiting to be stored. */
const MAX_WAITING = 20_000;

interface Waiting {
  readonly events: readonly HookEvent[];
  settle(taken: IntakeResult | 'unavailable'): void;
}

/** Counts and stores hook events. */
export class Intake {
  readonly instruments: HookInstruments;
  readonly #parts: IntakeParts;
  readonly #queue: Waiting[] = [];
  /** Number of events in the queue and in the commit under way. */
  #queued = 0;
  /** The stored counts; undefined until they were read. */
  #counts: Counts | undefined;
  #health: 'storing' | 'failing' = 'storing';
  /** Settles once the queue is empty; undefined while it is. */
  #draining: Promise<void> | undefined;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
    this.instruments = new HookInstruments(parts.registry, () => this.waiting());
  }

  /** Publishes the stored counts. If they cannot be read now, a later request reads them. */
  async open(): Promise<void> {
    await this.#load().catch((error: unknown) => this.#noteTrouble(error));
    this.#parts.store.onNews((counts) => this.#show(counts));
  }

  /**
   * Resolves once the events are stored; with `unavailable` if the store is unavailable, and with `busy` if too many events are
   * waiting.
   */
  take(events: readonly HookEvent[]): Promise<IntakeResult | 'unavailable' | 'busy'> {
    if (this.#queued + events.length > MAX_WAITING) return Promise.resolve('busy');
    this.#queued += events.length;
    return new Promise((resolve) => {
      this.#queue.push({ events, settle: resolve });
      this.#draining ??= this.#drain();
    });
  }

  /** The store's time. */
  time(): Instant {
    return this.#parts.clock.now() + this.#parts.store.drift();
  }

  /** Events from before this time are no longer accepted. */
  from(): Instant {
    return this.#parts.store.forgottenBefore(this.time());
  }

  /** Number of sessions waiting for a human. */
  waiting(): number {
    return waitingAt(this.#counts?.waitingUntil ?? [], this.time());
  }

  /** Stores pending events and closes the store. */
  async close(): Promise<void> {
    await this.#draining;
    await this.#parts.store.close();
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      // Includes events that have arrived meanwhile.
      await setImmediate();
      for (const { events } of await this.#storeGroup()) this.#queued -= events.length;
    }
    this.#draining = undefined;
  }

  /** Stores the requests that are waiting when the store begins the transaction; resolves with them. */
  async #storeGroup(): Promise<readonly Waiting[]> {
    let group: readonly Waiting[] = [];
    try {
      await this.#load();
      const stored = await this.#parts.store.commit(() => {
        group = this.#takeGroup();
        return { events: group.flatMap(({ events }) => events), now: this.time() };
      });
      this.#show(stored.counts);
      this.#noteRecovery();
      settleAll(group, stored.isNew);
    } catch (error) {
      this.#noteTrouble(error);
      // The store could not store the waiting requests either.
      group = [...group, ...this.#queue.splice(0)];
      for (const { settle } of group) settle('unavailable');
    }
    return group;
  }

  /** Takes the requests of the next commit from the queue. */
  #takeGroup(): readonly Waiting[] {
    const group: Waiting[] = [];
    let size = 0;
    while (size < MAX_TOGETHER) {
      const next = this.#queue.shift();
      if (next === undefined) break;
      group.push(next);
      size += next.events.length;
    }
    return group;
  }

  async #load(): Promise<void> {
    if (this.#counts === undefined) this.#show(await this.#parts.store.load());
  }

  #show(counts: Counts): void {
    this.#counts = counts;
    this.instruments.counted(counts);
  }

  #noteTrouble(error: unknown): void {
    if (this.#health === 'failing') return;
    this.#health = 'failing';
    const details = error instanceof NotStored ? error.details : { detail: messageOf(error) };
    this.#parts.log.warn('Hook events cannot be stored; asking senders to retry', { ...details });
  }

  #noteRecovery(): void {
    if (this.#health === 'storing') return;
    this.#health = 'storing';
    this.#parts.log.info('Hook events are stored again');
  }
}

function settleAll(group: readonly Waiting[], news: readonly boolean[]): void {
  let start = 0;
  for (const { events, settle } of group) {
    const accepted = news.slice(start, start + events.length).filter(Boolean).length;
    settle({ accepted, duplicates: events.length - accepted });
    start += events.length;
  }
}
