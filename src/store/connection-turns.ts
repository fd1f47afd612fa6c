import { createTurns } from '../runtime/turns.ts';

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
  run<Result>(use: (turn: ConnectionTurn) => Promise<Result>): Promise<Result>;
  /** The use of a connection that is not counted. */
  readonly reserved: ConnectionTurn;
  /** Lets all who wait run at once, to find that the database is closed. */
  close(): void;
}

/** Creates the turns of a number of connections: the driver's own queue counts a wait as slowness of the server. */
export function createConnectionTurns(connections: number): ConnectionTurns {
  const closing = new AbortController();
  const turns = createTurns({ limit: connections, closing: closing.signal });
  /** Aborted, with the problem, to reject those who wait. */
  let silence = new AbortController();
  let answers = 0;

  function turnFrom(before: number): ConnectionTurn {
    return {
      answered() {
        answers += 1;
      },
      silent(problem) {
        if (answers !== before) return;
        silence.abort(problem);
        silence = new AbortController();
      },
    };
  }

  return {
    async run(use) {
      const { signal } = silence;
      const turn = await turns.take('all', 'other', signal);
      try {
        signal.throwIfAborted();
        return await use(turnFrom(answers));
      } finally {
        turn.end();
      }
    },
    get reserved() {
      return turnFrom(answers);
    },
    close: () => closing.abort(),
  };
}
