/** Something that happens now and then, and that any number of waiters may wait for. */
export interface Signal {
  raise(): void;
  /** Resolves when it is next raised. */
  next(): Promise<void>;
}

/** Creates a signal that has not been raised. */
export function createSignal(): Signal {
  let waiting = Promise.withResolvers<void>();
  return {
    raise() {
      const raised = waiting;
      waiting = Promise.withResolvers();
      raised.resolve();
    },
    next: () => waiting.promise,
  };
}
