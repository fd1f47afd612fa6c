import type { Clock } from '../runtime/clock.ts';
import type { Leadership } from '../store/leader.ts';

/** The part of this process among those that share its store. */
export type Role = 'leader' | 'follower' | 'undecided';

/** The right to run collectors, and what was not run for lack of it. */
export interface Leading {
  /** Without other processes, this one always leads. */
  role(): Role;
  /** Permits a run now: `ended` is aborted once it must end; undefined if there is none. */
  permit(): { readonly ended: AbortSignal | undefined } | undefined;
  /** Throws a `NotStored` if no request may be sent now. */
  demand(): void;
  /** Records a run that did not take place or was aborted; it is run once that is possible again. */
  missed(job: string): void;
  /** The runs that were missed since the last call; `rested`: none unless that is some time ago. */
  takeMissed(rested?: 'rested'): readonly string[];
}

/** Answers that a connected database refuses, as one without space does, are not asked for at each beat; in milliseconds. */
const REST_MS = 60_000;

/** Creates the right; `leadership` is undefined if the store has one process. */
export function createLeading(
  leadership: Leadership | undefined,
  clock: Pick<Clock, 'elapsed'>,
): Leading & { decided(): void } {
  const missed = new Set<string>();
  let takenAt = Number.NEGATIVE_INFINITY;
  let isDecided = leadership === undefined;

  return {
    decided() {
      isDecided = true;
    },
    role() {
      if (!isDecided) return 'undecided';
      return leadership?.isLeader() === false ? 'follower' : 'leader';
    },
    permit() {
      if (leadership === undefined) return { ended: undefined };
      const ended = leadership.term();
      return ended && { ended };
    },
    demand: () => leadership?.demand(),
    missed: (job) => void missed.add(job),
    takeMissed(rested) {
      if (rested !== undefined && clock.elapsed() - takenAt < REST_MS) return [];
      takenAt = clock.elapsed();
      const taken = [...missed];
      missed.clear();
      return taken;
    },
  };
}
