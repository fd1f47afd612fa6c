import { createWindowSizer, type WindowSizer } from './windows.ts';

/** What the runs of one collector of one organization have learnt. */
export interface Learnt {
  readonly sizer: WindowSizer;
  /** What the log last said about an answer, so that it is not repeated. */
  lastNote: string;
}

/** What runs have learnt. It outlives the runners, each of which serves one configuration. */
export interface RunMemory {
  of(org: string, collector: string): Learnt;
  /** Drops what was learnt of a collector whose runs have ended for good. */
  forget(org: string, collector: string): void;
}

/** Creates the memory of runs, empty at first. */
export function createRunMemory(): RunMemory {
  const known = new Map<string, Learnt>();
  return {
    of(org, collector) {
      const key = keyOf(org, collector);
      const learnt = known.get(key) ?? { sizer: createWindowSizer(), lastNote: '' };
      known.set(key, learnt);
      return learnt;
    },
    forget: (org, collector) => void known.delete(keyOf(org, collector)),
  };
}

function keyOf(org: string, collector: string): string {
  return JSON.stringify([org, collector]);
}
