/** Creates an empty queue, which runs tasks one at a time, in the order in which they were added; it is unbounded. */
export function createSerialQueue() {
  let last: Promise<void> = Promise.resolve();
  return {
    /**
     * Runs a task once all earlier ones have settled, and settles with its result. A failed task does not affect later
     * ones.
     */
    run<Result>(task: () => Result | Promise<Result>): Promise<Result> {
      const result = last.then(task);
      last = result.then(ignore, ignore);
      return result;
    },
    /** Resolves once everything added so far has settled; never rejects. */
    idle: () => last,
  };
}

function ignore(): void {
  // The caller of `run` receives the outcome.
}
