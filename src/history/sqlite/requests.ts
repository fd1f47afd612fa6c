import type { RequestCount } from '../history.ts';
import type { HistoryFile } from './file.ts';

/** The counted requests of each organization, and which of the counts its file does not hold as they are. */
export interface RequestCounts {
  readonly isSaved: boolean;
  get(org: string): RequestCount | undefined;
  put(org: string, count: RequestCount): void;
  /** Takes what was stored before, where nothing was counted since. */
  absorb(stored: ReadonlyMap<string, RequestCount>): void;
  /** Writes what is unsaved, within a transaction, and gives whose counts these are. */
  write(file: HistoryFile): readonly string[];
  /** Says that the file does not hold these counts after all; none given means all. */
  unsave(orgs?: readonly string[]): void;
}

/** Starts with nothing counted. */
export function createRequestCounts(): RequestCounts {
  const counts = new Map<string, RequestCount>();
  const unsaved = new Set<string>();
  return {
    get isSaved() {
      return unsaved.size === 0;
    },
    get: (org) => counts.get(org),
    put(org, count) {
      counts.set(org, count);
      unsaved.add(org);
    },
    absorb(stored) {
      for (const [org, count] of stored) if (!counts.has(org)) counts.set(org, count);
    },
    write(file) {
      const written = [...unsaved];
      for (const org of written) {
        const count = counts.get(org);
        if (count !== undefined) file.putRequests(org, count);
      }
      unsaved.clear();
      return written;
    },
    unsave(orgs = [...counts.keys()]) {
      for (const org of orgs) unsaved.add(org);
    },
  };
}
