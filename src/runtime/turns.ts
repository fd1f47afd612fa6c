import type { Clock } from './clock.ts';

/** A permission to work. */
export interface Turn {
  /** Returns the permission; further calls have no effect. */
  end(): void;
}

/**
 * Limits concurrent work over all owners. Urgent work comes first; otherwise owners take turns, so that a busy owner
 * delays none of the others by more than one turn.
 */
export interface Turns {
  /**
   * Resolves when it is the caller's turn, or at once after an abort. A turn ends after two seconds: work that takes
   * longer mostly waits for an answer, and must not block others.
   */
  take(owner: string, urgency: Urgency, retired?: AbortSignal): Promise<Turn>;
  /** Changes the limit for later turns. */
  setLimit(limit: number): void;
}

export type Urgency = 'urgent' | 'other';

const SLOW_MS = 2000;

interface Waiting {
  admit(turn: Turn): void;
}

const NO_TURN: Turn = { end: () => undefined };

interface TurnsParts {
  /** Maximum number of concurrent turns. */
  readonly limit: number;
  /** Once aborted, every waiter is admitted. */
  readonly closing?: AbortSignal;
  readonly clock: Clock;
}

/** Creates the turns; none is taken yet. */
export function createTurns({ limit, closing, clock }: TurnsParts): Turns {
  const waiting: Readonly<Record<Urgency, Map<string, Waiting[]>>> = { urgent: new Map(), other: new Map() };
  let most = limit;
  let taken = 0;
  closing?.addEventListener('abort', admitAll, { once: true });

  function begin(): Turn {
    const over = new AbortController();
    taken += 1;
    function end(): void {
      if (over.signal.aborted) return;
      over.abort();
      taken -= 1;
      admitNext();
    }
    clock.wait(SLOW_MS, over.signal).then(end, () => undefined);
    return { end };
  }

  function admitNext(): void {
    while (taken < most) {
      const next = takeFirst(waiting.urgent) ?? takeFirst(waiting.other);
      if (next === undefined) return;
      next.admit(begin());
    }
  }

  function admitAll(): void {
    for (const owners of Object.values(waiting)) {
      const entries = [...owners.values()].flat();
      owners.clear();
      for (const entry of entries) entry.admit(NO_TURN);
    }
  }

  return {
    async take(owner, urgency, retired) {
      if (closing?.aborted === true || retired?.aborted === true) return NO_TURN;
      const owners = waiting[urgency];
      return new Promise((resolve) => {
        const entry: Waiting = {
          admit(turn) {
            retired?.removeEventListener('abort', onRetired);
            resolve(turn);
          },
        };
        function onRetired(): void {
          const others = (owners.get(owner) ?? []).filter((other) => other !== entry);
          if (others.length === 0) owners.delete(owner);
          else owners.set(owner, others);
          entry.admit(NO_TURN);
        }
        retired?.addEventListener('abort', onRetired, { once: true });
        owners.set(owner, [...(owners.get(owner) ?? []), entry]);
        admitNext();
      });
    },
    setLimit(next) {
      most = next;
      admitNext();
    },
  };
}

/** Takes the first entry of the first owner, who moves to the end. */
function takeFirst(owners: Map<string, Waiting[]>): Waiting | undefined {
  const [first] = owners;
  if (first === undefined) return undefined;
  const [owner, [next, ...others]] = first;
  owners.delete(owner);
  if (others.length > 0) owners.set(owner, others);
  return next;
}
