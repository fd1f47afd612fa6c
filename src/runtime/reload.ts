/** Something that can reload its files. */
export interface Reloadable {
  /** Its name in plain words: `the web configuration`. */
  readonly name: string;
  /**
   * Applies the current content of the files; if it is unusable, keeps the previous one and rejects with a
   * `ConfigError`.
   */
  reload(): Promise<void>;
}

/** The outcome of a reload. */
export type ReloadOutcome =
  | { readonly ok: true }
  /** `problem`: one line that names the key or file, with a hint. */
  | { readonly ok: false; readonly problem: string };

/**
 * Serializes calls of `work`. Calls that arrive during one share the next one, which sees everything that they have
 * seen.
 */
export function oneAtATime<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<unknown> | undefined;
  let next: Promise<Result> | undefined;

  function run(): Promise<Result> {
    const result = work().finally(() => {
      if (running === result) running = undefined;
    });
    running = result;
    return result;
  }

  return () => {
    if (running === undefined) return run();
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return run();
      });
    return next;
  };
}
