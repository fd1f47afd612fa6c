import type { Instant } from '../../catalog/day.ts';
import type { Changes, Tally } from './tally.ts';

/**
 * How long an event's identity is remembered, in milliseconds: what happened before that is not taken any more. A day
 * longer than the hook command keeps what it could not send, unless told otherwise.
 */
export const REMEMBERED_MS = 8 * 24 * 3_600_000;

/** Events of several requests that are stored together. */
export interface Commit {
  /** The events' identities, in the order in which they came. */
  readonly ids: readonly string[];
  readonly now: Instant;
  /** What to store, once it is known which events are new (an identity that comes twice is new once). */
  decide(isNew: readonly boolean[]): Changes;
}

/** A store that cannot be used for now. */
export class HookStoreError extends Error {
  /** What is wrong, and what the operator can do about it. */
  readonly details: { readonly reason: string; readonly detail: string; readonly hint: string };

  constructor(details: HookStoreError['details']) {
    super(details.detail);
    this.name = 'HookStoreError';
    this.details = details;
  }
}

/** Keeps the tally and the identities of the events in it. Rejects with a `HookStoreError`. */
export interface HookStore {
  /** What is kept; may be asked again after a failure. */
  load(): Promise<Tally>;
  /**
   * Stores new events, whole or not at all; resolves once nothing can take them away any more. Counts are stored as
   * they are, so that a store that was emptied behind our back is complete again afterwards.
   */
  commit(commit: Commit): Promise<Changes>;
  /** Events that happened before this may have been forgotten: they can't be told from ones that came already. */
  forgottenBefore(now: Instant): Instant;
  close(): Promise<void>;
}

/** Most identities that are remembered; about 15 MB. */
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
    async commit({ ids, now, decide }) {
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
