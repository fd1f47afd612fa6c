import type { Clock } from './clock.ts';

/** Permission to work, which others may be waiting for. */
export interface Turn {
  /** Gives it back; again has no effect. */
  end(): void;
}

/**
 * Limits how much is under way at a time, over all owners: urgent work before other work, and among equals one turn for
 * each owner in rotation, so that an owner with much to do delays none of the others by more than a turn.
 */
export interface Turns {
  /**
   * Resolves when it is the caller's turn, or at once after an abort. A turn ends by itself after two seconds: who waits
   * that long does little meanwhile, and must not keep others from working.
   */
  take(owner: string, urgency: Urgency, retired?: AbortSignal): Promise<Turn>;
  /** Sets another limit for the turns from now on. */
  setLimit(limit: number): void;
}

export type Urgency = 'urgent' | 'other';

const SLOW_MS = 2000;

interface Waiting {
  admit(turn: Turn): void;
}

const NO_TURN: Turn = { end: () => undefined };

interface TurnsParts {
  /** How many are taken at a time. */
  readonly limit: number;
  /** Once aborted, nobody waits any more. */
  readonly closing?: AbortSignal;
  readonly clock: Clock;
}

/** Creates turns, none of them taken. */
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

/** The first one of the owner whose turn it is; that owner is the last one then. */
function takeFirst(owners: Map<string, Waiting[]>): Waiting | undefined {
  const [first] = owners;
  if (first === undefined) return undefined;
  const [owner, [next, ...others]] = first;
  owners.delete(owner);
  if (others.length > 0) owners.set(owner, others);
  return next;
}
