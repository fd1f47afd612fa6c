// Decides which process leads, purely from one row. No process compares clocks: each measures by its own monotonic time.

/** The database row that says which process leads. */
export interface LeaderRow {
  /** The process that leads; undefined if nobody does. */
  readonly holder: string | undefined;
  /** Increases with each takeover. */
  readonly generation: number;
  /** The holder increases it every few seconds, as a sign of life. */
  readonly beat: number;
  /** A random number; the leader replaces it when the database may have lost commits. */
  readonly epoch: string;
  /** The fingerprint of those settings of the holder that shape rows, and digests of its organizations. */
  readonly settings: string;
}

/** The looks at the row that have found the same beat. Instants are the watcher's own monotonic time, in milliseconds. */
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
  /** A leader whose last beat is older sends no requests. */
  readonly staleMs: number;
  /** Another process takes over once the beat has not changed for this long. */
  readonly takeoverMs: number;
}

export const LEADER_INTERVALS: LeaderIntervals = { beatMs: 5_000, staleMs: 20_000, takeoverMs: 30_000 };

/** The looks needed before a takeover: a process that was suspended between two looks has not watched in between. */
const LOOKS = 3;

/** The watch after a look that was answered at an instant; a new beat begins a new watch. */
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
  // A row of this process is from an earlier term, or from a takeover whose answer was lost.
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
