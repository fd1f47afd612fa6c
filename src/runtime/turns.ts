import type { Clock } from './clock.ts';

/** A permission to work. */
export interface Turn {
  /** Returns the permission; further calls have no effect. */
  end(): void;
}

/**
 * Limits concurrent work over all owners. Work goes by its urgency; owners of equally urgent work take turns, so that a
 * busy owner delays none of the others by more than one turn, and each owner's work goes in the order in which it came.
 */
export interface Turns<Level extends string = Urgency> {
  /** Resolves when it is the caller's turn, or at once, without a turn to end, after an abort. */
  take(owner: string, urgency: Level, retired?: AbortSignal): Promise<Turn>;
  /** Changes the limit for later turns. */
  setLimit(limit: number): void;
}

export type Urgency = 'urgent' | 'other';

/** The levels of `Urgency`, as `createTurns` takes them. */
export const URGENCIES: readonly Urgency[] = ['urgent', 'other'];

interface Waiting {
  /** Number in the order of arrival. */
  readonly place: number;
  admit(turn: Turn): void;
}

/** A reason of its own: by default each abort records a stack trace. */
const ENDED = new Error('the turn has ended');

const NO_TURN: Turn = { end: () => undefined };

interface TurnsParts<Level extends string> {
  /** Maximum number of concurrent turns. */
  readonly limit: number;
  /** Most urgent first. */
  readonly levels: readonly Level[];
  /** Each nth turn goes to whoever has waited longest, however urgent, so that no level starves; without it, levels may. */
  readonly longestEvery?: number;
  /** A turn ends by itself after this time: work that takes longer mostly waits for an answer. Without it, no turn does. */
  readonly slow?: { readonly ms: number; readonly clock: Clock };
  /** Once aborted, every waiter is admitted. */
  readonly closing?: AbortSignal;
}

/** Creates the turns; none is taken yet. */
export function createTurns<Level extends string>(parts: TurnsParts<Level>): Turns<Level> {
  const { limit, levels, longestEvery = Number.POSITIVE_INFINITY, slow, closing } = parts;
  const waiting = new Map(levels.map((level) => [level, new Map<string, Waiting[]>()]));
  let most = limit;
  let taken = 0;
  let arrived = 0;
  let sinceLongest = 0;
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
      const queues = [...waiting.values()].filter(({ size }) => size > 0);
      const [mostUrgent] = queues;
      if (mostUrgent === undefined) return;
      sinceLongest += 1;
      const isForLongest = sinceLongest >= longestEvery;
      if (isForLongest) sinceLongest = 0;
      const next = isForLongest ? takeLongest(queues) : takeFirst(mostUrgent);
      next?.admit(begin());
    }
  }

  function admitAll(): void {
    for (const owners of waiting.values()) {
      const entries = [...owners.values()].flat();
      owners.clear();
      for (const entry of entries) entry.admit(NO_TURN);
    }
  }

  return {
    async take(owner, urgency, retired) {
      if (closing?.aborted === true || retired?.aborted === true) return NO_TURN;
      const owners = waiting.get(urgency) ?? new Map<string, Waiting[]>();
      arrived += 1;
      const place = arrived;
      return new Promise((resolve) => {
        const entry: Waiting = {
          place,
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

/** The waiting work of one level, by owner, in the order of the owners' turns. */
type Queue = Map<string, Waiting[]>;

/** Takes the first entry of the first owner. */
function takeFirst(owners: Queue): Waiting | undefined {
  const [owner] = owners.keys();
  return owner === undefined ? undefined : takeOf(owners, owner);
}

/** Takes the entry that arrived first. */
function takeLongest(queues: readonly Queue[]): Waiting | undefined {
  const heads = queues.flatMap((owners) =>
    [...owners].map(([owner, [first]]) => ({
      owners,
      owner,
      place: first?.place ?? Number.POSITIVE_INFINITY,
    })),
  );
  const [longest] = heads.sort((a, b) => a.place - b.place);
  return longest && takeOf(longest.owners, longest.owner);
}

/** Takes the first entry of an owner, who moves to the end. */
function takeOf(owners: Queue, owner: string): Waiting | undefined {
  const [next, ...others] = owners.get(owner) ?? [];
  owners.delete(owner);
  if (others.length > 0) owners.set(owner, others);
  return next;
}
