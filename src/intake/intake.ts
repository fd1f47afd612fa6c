import { setImmediate } from 'node:timers/promises';
import type { Instant } from '../catalog/day.ts';
import type { Logger } from '../log/logger.ts';
import { NotStored } from '../store/database.ts';
import { messageOf } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import { type Counts, waitingAt } from './counts.ts';
import type { HookEvent } from './event.ts';
import type { HookInstruments } from './metrics.ts';
import type { HookStore } from './store.ts';

/** The result of storing the events of one request. */
interface IntakeResult {
  readonly accepted: number;
  readonly duplicates: number;
}

/** Counts and stores hook events. */
export interface HookIntake {
  /**
   * Resolves once the events are stored; `unavailable` if that is impossible at present, `busy` if too many are
   * waiting.
   */
  take(events: readonly HookEvent[]): Promise<IntakeResult | 'unavailable' | 'busy'>;
  /** The store's time. */
  time(): Instant;
  /** Events from before this time are no longer accepted. */
  from(): Instant;
  /** Number of sessions waiting for a human. */
  waiting(): number;
  /** Stores pending events and closes the store. */
  close(): Promise<void>;
}

interface HookIntakeDeps {
  readonly store: HookStore;
  readonly instruments: Pick<HookInstruments, 'counted'>;
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

/** Creates the intake and loads the stored counts. */
export async function createHookIntake(deps: HookIntakeDeps): Promise<HookIntake> {
  const { store, instruments, clock, log } = deps;
  const queue: Waiting[] = [];
  let queued = 0;
  let counts: Counts | undefined;
  let isFailing = false;
  let draining: Promise<void> | undefined;

  const time = (): Instant => clock.now() + store.drift();

  function show(current: Counts): void {
    counts = current;
    instruments.counted(current);
  }

  async function load(): Promise<void> {
    if (counts === undefined) show(await store.load());
  }

  /** Takes the requests that are stored together. */
  function takeGroup(): readonly Waiting[] {
    const group: Waiting[] = [];
    let size = 0;
    while (size < MAX_TOGETHER) {
      const next = queue.shift();
      if (next === undefined) break;
      group.push(next);
      size += next.events.length;
    }
    return group;
  }

  /** Stores those that have arrived by the time at which the store can; resolves with them. */
  async function storeGroup(): Promise<readonly Waiting[]> {
    let group: readonly Waiting[] = [];
    try {
      await load();
      const stored = await store.commit(() => {
        group = takeGroup();
        return { events: group.flatMap(({ events }) => events), now: time() };
      });
      show(stored.counts);
      noteRecovery();
      settleAll(group, stored.isNew);
    } catch (error) {
      noteTrouble(error);
      // Nor could it store those that wait.
      group = [...group, ...queue.splice(0)];
      for (const { settle } of group) settle('unavailable');
    }
    return group;
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      // Includes events that have arrived meanwhile.
      await setImmediate();
      for (const { events } of await storeGroup()) queued -= events.length;
    }
    draining = undefined;
  }

  function noteTrouble(error: unknown): void {
    if (isFailing) return;
    isFailing = true;
    const details = error instanceof NotStored ? error.details : { detail: messageOf(error) };
    log.warn('Hook events cannot be stored; asking senders to retry', { ...details });
  }

  function noteRecovery(): void {
    if (!isFailing) return;
    isFailing = false;
    log.info('Hook events are stored again');
  }

  await load().catch(noteTrouble);
  store.onNews(show);

  return {
    take(events) {
      if (queued + events.length > MAX_WAITING) return Promise.resolve('busy');
      queued += events.length;
      return new Promise((resolve) => {
        queue.push({ events, settle: resolve });
        draining ??= drain();
      });
    },
    time,
    from: () => store.forgottenBefore(time()),
    waiting: () => waitingAt(counts?.waitingUntil ?? [], time()),
    async close() {
      await draining;
      await store.close();
    },
  };
}

function settleAll(group: readonly Waiting[], news: readonly boolean[]): void {
  let start = 0;
  for (const { events, settle } of group) {
    const accepted = news.slice(start, start + events.length).filter(Boolean).length;
    settle({ accepted, duplicates: events.length - accepted });
    start += events.length;
  }
}
