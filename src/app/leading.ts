import type { Leader } from '../store/leader.ts';
import type { Clock } from '../work/clock.ts';

/** The role of this process among those that share its store. */
type Role = 'leader' | 'follower' | 'undecided';

/** How long missed runs wait after the last attempt, in milliseconds: a database that is full refuses answers at every beat. */
const REST_MS = 60_000;

/** Permits runs of collectors while this process leads, and remembers missed runs. Without a shared store, permits all. */
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

  /** The permission for a run now: its `ended` signal aborts when the run must end; undefined if runs are not permitted. */
  permit(): { readonly ended: AbortSignal | undefined } | undefined {
    if (this.#leadership === undefined) return { ended: undefined };
    const ended = this.#leadership.term();
    return ended && { ended };
  }

  /** Throws a `NotStored` if no request may be sent now. */
  demand(): void {
    this.#leadership?.demand();
  }

  /** Records a run that did not take place or was aborted, to run it once that is possible again. */
  missed(job: string): void {
    this.#missed.add(job);
  }

  /** The runs missed since the last call. With `rested`: none if the last call was only a short time ago. */
  takeMissed(rested?: 'rested'): readonly string[] {
    if (rested !== undefined && this.#clock.elapsed() - this.#takenAt < REST_MS) return [];
    this.#takenAt = this.#clock.elapsed();
    const taken = [...this.#missed];
    this.#missed.clear();
    return taken;
  }
}
