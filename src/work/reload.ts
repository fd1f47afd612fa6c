import { createSerialQueue } from './serial-queue.ts';

/** Something that can reload its files. */
export interface Reloadable {
  /** Its name in plain words: `the web configuration`. */
  readonly name: string;
  /** Applies the current content of the files. If it is unusable, keeps the previous one and rejects with a `ConfigError`. */
  reload(): Promise<Reloaded>;
}

/** Content that is in use. */
interface Reloaded {
  /** What is to be said of it all the same, a sentence each. */
  readonly notes: readonly string[];
  /** Why not all of it was applied, which is logged. */
  readonly missed?: string | undefined;
}

/** The outcome of a reload. */
export type ReloadOutcome =
  /** `notes`: what is to be said all the same, such as options that need a restart. */
  | { readonly ok: true; readonly notes?: readonly string[] | undefined }
  /** `problem`: it names the key or file, and says what to do; `isInUse`: all was read, but not all of it was applied. */
  | { readonly ok: false; readonly problem: string; readonly isInUse?: true };

/**
 * Serializes calls of `work`. Calls that arrive during one share the next one, which sees everything that they have
 * seen.
 */
export function oneAtATime<Result>(work: () => Promise<Result>): () => Promise<Result> {
  const queue = createSerialQueue();
  let next: Promise<Result> | undefined;
  return () => {
    next ??= queue.run(() => {
      next = undefined;
      return work();
    });
    return next;
  };
}
