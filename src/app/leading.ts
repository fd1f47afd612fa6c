import type { Leadership } from '../store/leader.ts';
import type { Clock } from '../work/clock.ts';

/** The part of this process among those that share its store. */
type Role = 'leader' | 'follower' | 'undecided';

/** Answers that a connected database refuses, as one without space does, are not asked for at each beat; in milliseconds. */
const REST_MS = 60_000;

/** The right to run collectors, and what was not run for lack of it. */
export type Leading = ReturnType<typeof createLeading>;

/** Creates the right; `leadership` is undefined if the store has one process, which then always leads. */
export function createLeading(leadership: Leadership | undefined, clock: Pick<Clock, 'elapsed'>) {
  const missed = new Set<string>();
  let takenAt = Number.NEGATIVE_INFINITY;
  let isDecided = leadership === undefined;

  return {
    /** Records that the processes have chosen a leader. */
    decided(): void {
      isDecided = true;
    },
    role(): Role {
      if (!isDecided) return 'undecided';
      return leadership?.isLeader() === false ? 'follower' : 'leader';
    },
    /** Permits a run now: `ended` is aborted once it must end; undefined if there is none. */
    permit(): { readonly ended: AbortSignal | undefined } | undefined {
      if (leadership === undefined) return { ended: undefined };
      const ended = leadership.term();
      return ended && { ended };
    },
    /** Throws a `NotStored` if no request may be sent now. */
    demand: () => leadership?.demand(),
    /** Records a run that did not take place or was aborted; it is run once that is possible again. */
    missed: (job: string) => void missed.add(job),
    /** The runs that were missed since the last call; `rested`: none unless that is some time ago. */
    takeMissed(rested?: 'rested'): readonly string[] {
      if (rested !== undefined && clock.elapsed() - takenAt < REST_MS) return [];
      takenAt = clock.elapsed();
      const taken = [...missed];
      missed.clear();
      return taken;
    },
  };
}
