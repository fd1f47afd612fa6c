import { type HookStore, REMEMBERED_MS } from './store.ts';

/** Most identities that are remembered; about 15 MB. */
const MOST_IDS = 100_000;

/** Keeps nothing over a restart. */
export function createMemoryHookStore(mostIds = MOST_IDS): HookStore {
  const seen = new Map<string, number>();
  let forgotten = 0;

  function forget(now: number): void {
    for (const [id, at] of seen) {
      const isOld = at < now - REMEMBERED_MS - 24 * 3_600_000;
      if (!isOld && seen.size <= mostIds) return;
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
