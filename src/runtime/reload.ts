/** Something that reads its files again when it is asked to. */
export interface Reloadable {
  /** What it is, in plain words: `the web configuration`. */
  readonly name: string;
  /** Takes over what the files hold now; keeps what was before and rejects with a `ConfigError` where it cannot be used. */
  reload(): Promise<void>;
}

/** How reading the configuration again ended. */
export type ReloadOutcome =
  | { readonly ok: true }
  /** `problem`: one line that names the key or file, and what can be done. */
  | { readonly ok: false; readonly problem: string };

/**
 * Makes calls of `work` follow each other. Those that come while one is under way share the one after it, which sees
 * everything that they have seen.
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
