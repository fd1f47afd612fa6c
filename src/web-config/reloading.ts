import type { Files } from '../config/files.ts';
import type { Clock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import { createSerialQueue } from '../runtime/serial-queue.ts';
import { loadWebSettings } from './load.ts';
import type { WebSettings } from './settings.ts';

/** Interval between checks of the files, in milliseconds. */
const WATCH_MS = 5_000;

/** The result of a reload: whether anything changed, or why the previous settings stay in effect. */
export type ReloadOutcome =
  | { readonly changed: boolean }
  | { readonly problem: string; readonly hint: string | undefined };

interface ReloadingDeps {
  readonly file: string;
  readonly files: Files;
  readonly clock: Pick<Clock, 'wait'>;
  readonly log: Logger;
  /** Applies new settings; throws a `ConfigError` if they need a restart. */
  apply(settings: WebSettings): void;
}

/** Settings that are reloaded from their files. */
interface Reloading {
  current(): WebSettings;
  /** Reads changed files now; the caller reports the outcome. */
  reload(): Promise<ReloadOutcome>;
  /**
   * Checks the files every 5 s until aborted. Only problems that persist longer are errors: `notify` is called with
   * them, and when they are over.
   */
  watch(signal: AbortSignal, notify: (problem: string | undefined) => void): Promise<void>;
}

/** Loads the settings for the first time; rejects with a `ConfigError`. */
export async function createReloading(deps: ReloadingDeps): Promise<Reloading> {
  const { file, files, clock, log } = deps;
  /** The files read by the last attempt, with their previous state. */
  let seen: ReadonlyMap<string, string> = new Map();
  let outcome: ReloadOutcome = { changed: false };
  let current = await load();
  const turns = createSerialQueue();

  async function load(): Promise<WebSettings> {
    const marks = new Map<string, string>();
    try {
      const settings = await loadWebSettings(file, {
        ...files,
        async read(path) {
          // Taken before reading: a write in between is noticed the next time.
          marks.set(path, await markOf(path));
          return files.read(path);
        },
      });
      for (const warning of settings.warnings) log.warn('Weak web configuration', { warning });
      return settings;
    } finally {
      seen = marks;
    }
  }

  function markOf(path: string): Promise<string> {
    return files.fingerprint(path).catch(() => 'absent');
  }

  async function isUnchanged(): Promise<boolean> {
    const same = [...seen].map(async ([path, mark]) => (await markOf(path)) === mark);
    return (await Promise.all(same)).every(Boolean);
  }

  async function attempt(): Promise<ReloadOutcome> {
    if (await isUnchanged()) return 'problem' in outcome ? outcome : { changed: false };
    try {
      const settings = await load();
      deps.apply(settings);
      current = settings;
      outcome = { changed: true };
      log.info('Web configuration reloaded', { file });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      outcome = { problem: error.message, hint: error.hint };
    }
    return outcome;
  }

  function reload(): Promise<ReloadOutcome> {
    return turns.run(attempt);
  }

  async function watch(signal: AbortSignal, notify: (problem: string | undefined) => void): Promise<void> {
    let pending: string | undefined;
    let reported: string | undefined;
    for (;;) {
      await clock.wait(WATCH_MS, signal);
      const result = await reload();
      const problem = 'problem' in result ? result.problem : undefined;
      // A certificate and its key are written one after the other: only a persistent problem is reported.
      if (problem !== undefined && problem === pending && problem !== reported && 'problem' in result) {
        log.error('Web configuration invalid; keeping the previous one', {
          problem,
          hint: result.hint,
        });
        reported = problem;
        notify(problem);
      }
      // A requested reload may have reported a problem that was not reported here.
      if (problem === undefined && (reported !== undefined || ('changed' in result && result.changed))) {
        reported = undefined;
        notify(undefined);
      }
      pending = problem;
    }
  }

  return { current: () => current, reload, watch };
}
