// Who leads, as a pure decision about one row. Nobody compares clocks: a watcher measures by its own monotonic time.

/** The row of leadership. */
export interface LeaderRow {
  /** The process that leads; undefined if nobody does. */
  readonly holder: string | undefined;
  /** Grows with each takeover. */
  readonly generation: number;
  /** Grows while the holder lives. */
  readonly beat: number;
  /** A random number, written anew whenever commits may have been lost. */
  readonly epoch: string;
  /** What the holder says of its settings that shape what is stored. */
  readonly settings: string;
}

/** What a process has seen of one beat. Instants are its own monotonic time, in milliseconds. */
export interface Watch {
  readonly row: LeaderRow;
  /** Number of answered looks. */
  readonly looks: number;
  /** When the first look was answered. */
  readonly since: number;
}

/** Intervals of leadership, in milliseconds. */
export interface LeaderIntervals {
  /** Between two beats of the leader, and between two looks of the others. */
  readonly beatMs: number;
  /** A leader whose last beat is older sends nothing. */
  readonly staleMs: number;
  /** How long a beat must have been the same before another process takes over. */
  readonly takeoverMs: number;
}

export const LEADER_INTERVALS: LeaderIntervals = { beatMs: 5_000, staleMs: 20_000, takeoverMs: 30_000 };

/** A process that was suspended between two looks has not watched in between. */
const LOOKS = 3;

/** What is known after a look that was sent and answered at these instants. */
export function watched(before: Watch | undefined, row: LeaderRow, answeredAt: number): Watch {
  return before !== undefined && isSame(before.row, row)
    ? { ...before, looks: before.looks + 1 }
    : { row, looks: 1, since: answeredAt };
}

/** Whether a process may take over after a look that was sent at an instant. */
export function mayTakeOver(
  { row, looks, since }: Watch,
  id: string,
  sentAt: number,
  afterMs: number,
): boolean {
  // Its own row is of an earlier term of its own, or of a takeover whose answer was lost.
  if (row.holder === undefined || row.holder === id) return true;
  return looks >= LOOKS && sentAt - since >= afterMs;
}

/** Whether a row was written before one that was seen earlier: the database has lost commits. */
export function isOlder(
  row: Pick<LeaderRow, 'generation' | 'beat'>,
  seen: Pick<LeaderRow, 'generation' | 'beat'>,
): boolean {
  if (row.generation !== seen.generation) return row.generation < seen.generation;
  return row.beat < seen.beat;
}

function isSame(one: LeaderRow, other: LeaderRow): boolean {
  return (
    one.holder === other.holder &&
    one.generation === other.generation &&
    one.beat === other.beat &&
    one.epoch === other.epoch
  );
}
