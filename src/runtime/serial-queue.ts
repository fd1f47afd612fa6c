/** Runs tasks one after the other, in the order in which they were given. */
export interface SerialQueue {
  /** Runs a task once all earlier ones have settled, and settles as it does. A failed task holds up no later one. */
  run<Result>(task: () => Result | Promise<Result>): Promise<Result>;
  /** Resolves once everything given so far has settled; never rejects. */
  idle(): Promise<void>;
}

/** Creates an empty queue; it has no bound, so its callers limit what they put in. */
export function createSerialQueue(): SerialQueue {
  let last: Promise<void> = Promise.resolve();
  return {
    run(task) {
      const result = last.then(task);
      last = result.then(ignore, ignore);
      return result;
    },
    idle: () => last,
  };
}

function ignore(): void {
  // The caller of `run` holds the outcome.
}
