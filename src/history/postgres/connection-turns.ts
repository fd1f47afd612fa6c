import { createTurns } from '../../runtime/turns.ts';

/**
 * What a transaction is for, the most urgent first: who gets the next connection if all are in use.
 * - `lease`: renewals, and the look each second that shows whether the database answers;
 * - `claim`: claims and ends of ticks, pauses and requests to refresh: short, and other processes or people wait for them;
 * - `hooks`: batches of events, one at a time, whose senders wait for an answer;
 * - `page`: what other processes have stored, which is due on the page within five seconds;
 * - `days`: windows of days, totals and all the rest, which nobody waits for.
 *
 * Every fourth connection goes to whoever has waited longest, so that none of them starves.
 */
const PURPOSES = ['lease', 'claim', 'hooks', 'page', 'days'] as const;
const LONGEST_EVERY = 4;

export type Purpose = (typeof PURPOSES)[number];

/** The use of a connection. */
export interface ConnectionTurn {
  /** Records that the database has answered. */
  answered(): void;
  /** Records that it has not: all who wait are rejected with the problem, unless it has answered others meanwhile. */
  silent(problem: Error): void;
}

/** Who uses the connections to a database. */
interface ConnectionTurns {
  /**
   * Runs `use` once a connection is free. There is no limit on the wait as long as the database answers others; rejects
   * with the problem once it does not.
   */
  run<Result>(purpose: Purpose, use: (turn: ConnectionTurn) => Promise<Result>): Promise<Result>;
  /** Rejects all who wait with the problem of a server that does not answer. */
  silent(problem: Error): void;
  /** Lets all who wait run at once, to find that the database is closed. */
  close(): void;
}

/** Creates the turns of a number of connections: the driver's own queue counts a wait as slowness of the server. */
export function createConnectionTurns(connections: number): ConnectionTurns {
  const closing = new AbortController();
  const turns = createTurns({
    ...{ limit: connections, levels: PURPOSES, longestEvery: LONGEST_EVERY, closing: closing.signal },
  });
  /** Aborted, with the problem, to reject those who wait. */
  let silence = new AbortController();
  let answers = 0;

  function rejectWaiting(problem: Error): void {
    silence.abort(problem);
    silence = new AbortController();
  }

  return {
    async run(purpose, use) {
      const { signal } = silence;
      const turn = await turns.take(purpose, purpose, signal);
      const before = answers;
      try {
        signal.throwIfAborted();
        return await use({
          answered() {
            answers += 1;
          },
          silent(problem) {
            if (answers === before) rejectWaiting(problem);
          },
        });
      } finally {
        turn.end();
      }
    },
    silent: rejectWaiting,
    close: () => closing.abort(),
  };
}
