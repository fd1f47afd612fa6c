import { type FetchMemory, NOTHING_LEARNED } from './fetch-memory.ts';

/** What the runs of one collector of one organization have learned. */
export interface Learned {
  /** About fetching its days. */
  fetching: FetchMemory;
  /** What the log last said about an answer, so that it is not repeated. */
  lastNote: string;
}

/** What runs have learned. It outlives the runners, each of which serves one configuration. */
export interface RunMemory {
  of(org: string, collector: string): Learned;
  /** Drops what was learned of a collector whose runs have ended for good. */
  forget(org: string, collector: string): void;
}

/** Creates the memory of runs, empty at first. */
export function createRunMemory(): RunMemory {
  const known = new Map<string, Learned>();
  return {
    of(org, collector) {
      const key = keyOf(org, collector);
      const learned = known.get(key) ?? { fetching: NOTHING_LEARNED, lastNote: '' };
      known.set(key, learned);
      return learned;
    },
    forget: (org, collector) => void known.delete(keyOf(org, collector)),
  };
}

function keyOf(org: string, collector: string): string {
  return JSON.stringify([org, collector]);
}
