import type { Clock } from '../runtime/clock.ts';

/** Hands out slices of the event loop to work that must not hold it. */
export interface Turns {
  /** Runs a slice of synchronous work: in this turn while its budget lasts, else in a later one. */
  run<Result>(slice: () => Result): Promise<Result>;
  /** Whether the present turn's budget is used up, so that the slice should end. */
  over(): boolean;
}

/**
 * Creates the turns that renderings share, so that a hundred of them at once hold the event loop no longer than
 * one: together they get `budget` milliseconds, then everything else has its go.
 */
export function createTurns(clock: Pick<Clock, 'elapsed'>, budget = 3): Turns {
  let startedAt = Number.NEGATIVE_INFINITY;
  let nextTurn: Promise<void> | undefined;
  const over = () => clock.elapsed() - startedAt >= budget;

  function waitForTurn(): Promise<void> {
    nextTurn ??= new Promise((resolve) => {
      setImmediate(() => {
        nextTurn = undefined;
        startedAt = clock.elapsed();
        resolve();
      });
    });
    return nextTurn;
  }

  return {
    over,
    async run(slice) {
      // Of those that waited together, the first may use up the budget: the others wait again.
      while (over()) await waitForTurn();
      return slice();
    },
  };
}
