import type { Clock } from './clock.ts';

/** A permission to work. */
export interface Turn {
  /** Returns the permission; further calls have no effect. */
  end(): void;
}

/** The permissions of `createTurns`. */
export type Turns = ReturnType<typeof createTurns>;

export type Urgency = 'urgent' | 'other';

/** A reason of its own: by default each abort records a stack trace. */
const ENDED = new Error('the turn has ended');

const NO_TURN: Turn = { end: () => undefined };

interface TurnsParts {
  /** Maximum number of concurrent turns. */
  readonly limit: number;
  /** A turn ends by itself after this time: work that takes longer mostly waits for an answer. Without it, no turn does. */
  readonly slow?: { readonly ms: number; readonly clock: Clock };
  /** Once aborted, every waiter is admitted. */
  readonly closing?: AbortSignal;
}

/**
 * Limits concurrent work over all owners; no turn is taken yet. Urgent work goes first; owners of equally urgent work take turns,
 * so that a busy owner delays none of the others by more than one turn, and each owner's work goes in the order in which it came.
 */
export function createTurns({ limit, slow, closing }: TurnsParts) {
  const waiting: Readonly<Record<Urgency, Queue>> = { urgent: new Map(), other: new Map() };
  let most = limit;
  let taken = 0;
  closing?.addEventListener('abort', admitAll, { once: true });

  function begin(): Turn {
    const over = new AbortController();
    taken += 1;
    function end(): void {
      if (over.signal.aborted) return;
      over.abort(ENDED);
      taken -= 1;
      admitNext();
    }
    slow?.clock.wait(slow.ms, over.signal).then(end, () => undefined);
    return { end };
  }

  function admitNext(): void {
    while (taken < most) {
      const admit = takeFirst(waiting.urgent) ?? takeFirst(waiting.other);
      if (admit === undefined) return;
      admit(begin());
    }
  }

  function admitAll(): void {
    for (const owners of Object.values(waiting)) {
      const all = [...owners.values()].flat();
      owners.clear();
      for (const admit of all) admit(NO_TURN);
    }
  }

  return {
    /** Resolves when it is the caller's turn, or at once, without a turn to end, after an abort. */
    async take(owner: string, urgency: Urgency, retired?: AbortSignal): Promise<Turn> {
      if (closing?.aborted === true || retired?.aborted === true) return NO_TURN;
      const owners = waiting[urgency];
      return new Promise((resolve) => {
        function admit(turn: Turn): void {
          retired?.removeEventListener('abort', onRetired);
          resolve(turn);
        }
        function onRetired(): void {
          const others = (owners.get(owner) ?? []).filter((other) => other !== admit);
          if (others.length === 0) owners.delete(owner);
          else owners.set(owner, others);
          admit(NO_TURN);
        }
        retired?.addEventListener('abort', onRetired, { once: true });
        owners.set(owner, [...(owners.get(owner) ?? []), admit]);
        admitNext();
      });
    },
    /** Changes the limit for later turns. */
    setLimit(next: number): void {
      most = next;
      admitNext();
    },
  };
}

/** What gives a turn to the waiting work of one urgency, by owner, in the order of the owners' turns. */
type Queue = Map<string, ((turn: Turn) => void)[]>;

/** Takes the first entry of the first owner, who moves to the end. */
function takeFirst(owners: Queue): ((turn: Turn) => void) | undefined {
  const [[owner, [first, ...others]] = ['', []]] = owners;
  owners.delete(owner);
  if (others.length > 0) owners.set(owner, others);
  return first;
}
