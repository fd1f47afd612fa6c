import type { Instant } from '../../catalog/day.ts';
import type { Changes, Tally } from './counts.ts';

/**
 * How long an event's id is remembered, in milliseconds; older events are rejected. By default a day longer than the
 * hook command spools events.
 */
export const REMEMBERED_MS = 8 * 24 * 3_600_000;

/** Events that have arrived by an instant. */
interface Arrived {
  /** Their ids, in order of arrival. */
  readonly ids: readonly string[];
  readonly now: Instant;
}

/** Events of several requests that are stored together. */
export interface Commit {
  /**
   * Takes the events; called at most once, when they can be stored: what arrives while the store waits for other
   * processes is stored with the rest.
   */
  take(): Arrived;
  /**
   * Decides what to store, once it is known which events are new (an id that occurs twice is new once). `stored` is the
   * tally that they are added to, if other processes may have changed it.
   */
  decide(isNew: readonly boolean[], stored?: Tally): Changes;
}

/** A store that cannot be used at present. */
export class HookStoreError extends Error {
  /** The problem, and a hint for the operator. */
  readonly details: { readonly reason: string; readonly detail: string; readonly hint: string };

  constructor(details: HookStoreError['details']) {
    super(details.detail);
    this.name = 'HookStoreError';
    this.details = details;
  }
}

/** Stores the tally and the ids of its events. Rejects with a `HookStoreError`. */
export interface HookStore {
  /** Loads the stored tally; can be called again after a failure. */
  load(): Promise<Tally>;
  /**
   * Stores new events atomically; resolves once they are durable. Counts are stored as totals, so that a store that was
   * emptied by another process is complete again afterwards.
   */
  commit(commit: Commit): Promise<Changes>;
  /** Events from before this time may have been forgotten: they cannot be distinguished from counted ones. */
  forgottenBefore(now: Instant): Instant;
  /** Calls back with what other processes have changed; a store of one process has no such changes. */
  onNews?(listener: (changes: Changes) => void): void;
  close(): Promise<void>;
}

/** Maximum number of remembered ids; about 15 MB. */
const MAX_IDS = 100_000;

/** A store in memory; a restart empties it. */
export function createMemoryHookStore(maxIds = MAX_IDS): HookStore {
  const seen = new Map<string, number>();
  let forgotten = 0;

  function forget(now: number): void {
    for (const [id, at] of seen) {
      const isOld = at < now - REMEMBERED_MS - 24 * 3_600_000;
      if (!isOld && seen.size <= maxIds) return;
      if (!isOld) forgotten = Math.max(forgotten, at);
      seen.delete(id);
    }
  }

  return {
    load: async () => ({ events: new Map(), ends: new Map(), sessions: new Map() }),
    async commit({ take, decide }) {
      const { ids, now } = take();
      const isNew = ids.map((id) => {
        if (seen.has(id)) return false;
        seen.set(id, now);
        return true;
      });
      forget(now);
      return decide(isNew);
    },
    forgottenBefore: (now) => Math.max(now - REMEMBERED_MS, forgotten),
    async close() {},
  };
}
