import type { Leader } from '../store/leader.ts';
import type { Clock } from '../work/clock.ts';

/** The part of this process among those that share its store. */
type Role = 'leader' | 'follower' | 'undecided';

/** Answers that a connected database refuses, as one without space does, are not asked for at each beat; in milliseconds. */
const REST_MS = 60_000;

/** The right to run collectors, and what was not run for lack of it. A store of one process always gives it. */
export class Leading {
  readonly #leadership: Leader | undefined;
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #missed = new Set<string>();
  #takenAt = Number.NEGATIVE_INFINITY;
  #isDecided: boolean;

  constructor(leadership: Leader | undefined, clock: Pick<Clock, 'elapsed'>) {
    this.#leadership = leadership;
    this.#clock = clock;
    this.#isDecided = leadership === undefined;
  }

  /** Records that the processes have chosen a leader. */
  decided(): void {
    this.#isDecided = true;
  }

  role(): Role {
    if (!this.#isDecided) return 'undecided';
    return this.#leadership?.isLeader() === false ? 'follower' : 'leader';
  }

  /** Permits a run now: `ended` is aborted once it must end; undefined if there is none. */
  permit(): { readonly ended: AbortSignal | undefined } | undefined {
    if (this.#leadership === undefined) return { ended: undefined };
    const ended = this.#leadership.term();
    return ended && { ended };
  }

  /** Throws a `NotStored` if no request may be sent now. */
  demand(): void {
    this.#leadership?.demand();
  }

  /** Records a run that did not take place or was aborted; it is run once that is possible again. */
  missed(job: string): void {
    this.#missed.add(job);
  }

  /** The runs that were missed since the last call; `rested`: none unless that is some time ago. */
  takeMissed(rested?: 'rested'): readonly string[] {
    if (rested !== undefined && this.#clock.elapsed() - this.#takenAt < REST_MS) return [];
    this.#takenAt = this.#clock.elapsed();
    const taken = [...this.#missed];
    this.#missed.clear();
    return taken;
  }
}
