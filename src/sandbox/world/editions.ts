import { type Day, dayMs, hourMs } from '../calendar.ts';
import type { Edition } from './conditions.ts';

/** Keeps how often each day was revised. */
export interface Editions {
  of(day: Day, org: string): Edition;
  revise(day: Day): void;
}

export interface EditionsDeps {
  readonly now: () => number;
  /** Whether an organization's figures of the last seven days are still coming in. */
  readonly late: (org: string) => boolean;
}

const settledAfterHours = 7 * 24;

/** Creates the memory of revisions; while days are late, a day's figures grow every hour for a week. */
export function createEditions(deps: EditionsDeps): Editions {
  const revisions = new Map<Day, number>();
  return {
    of(day, org) {
      const hours = Math.floor((deps.now() - (day + 1) * dayMs) / hourMs);
      const missing = deps.late(org) ? Math.min(1, Math.max(0, 1 - hours / settledAfterHours)) : 0;
      return { missing, revision: revisions.get(day) ?? 0 };
    },
    revise(day) {
      revisions.set(day, (revisions.get(day) ?? 0) + 1);
    },
  };
}
