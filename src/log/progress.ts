import type { Clock } from '../work/clock.ts';
import type { Logger } from './logger.ts';

/** A long-running piece of work. */
interface Work {
  readonly org: string;
  readonly dataset: string;
  /** The number of days. */
  readonly total: number;
}

/** The combined progress of all work since none was in progress. */
export interface ProgressState {
  readonly done: number;
  readonly total: number;
  /** The number of pieces in progress; 0 once everything has ended. */
  readonly running: number;
  /** The piece that progressed last. */
  readonly latest: Work;
}

/** Shows the progress of work whose units are counted. */
export interface CountedProgress {
  show(done: number, total: number): void;
  /** Removes what is shown at the end. */
  clear(): void;
}

/** What is done, such as `Backfilling`, and what is counted, such as `days`. */
export interface ProgressWords {
  readonly verb: string;
  readonly unit: string;
}

/** Interval of logged progress, in milliseconds. */
const LOG_EVERY_MS = 10_000;

/** Reports the progress of long-running work. */
export type Progress = ReturnType<typeof createProgress>;

/** Adds up all work in progress and shows each change of the sum. */
export function createProgress(show: (state: ProgressState) => void) {
  let [done, total, running] = [0, 0, 0];
  return {
    begin(work: Work) {
      let left = work.total;
      const notify = () => show({ done, total, running, latest: work });
      total += work.total;
      running++;
      notify();
      return {
        /** Adds finished days. */
        advance(days: number): void {
          const counted = Math.min(days, left);
          left -= counted;
          done += counted;
          notify();
        },
        /** Ends the work, whether it is finished or not. */
        end(): void {
          running--;
          // Unfinished days are no longer expected.
          total -= left;
          left = 0;
          notify();
          if (running === 0) [done, total] = [0, 0];
        },
      };
    },
  };
}

/** Logs progress at most every ten seconds, and the end of work that took longer. */
export function createLoggedProgress({ clock, log }: { clock: Clock; log: Logger }): Progress {
  let logged: { at: number; lines: number } | undefined;
  return createProgress(({ done, total, running, latest }) => {
    const now = clock.elapsed();
    logged ??= { at: now, lines: 0 };
    if (running === 0) {
      if (logged.lines > 0) log.info('Past days fetched', { days: done });
      logged = undefined;
    } else if (now - logged.at >= LOG_EVERY_MS) {
      logged = { at: now, lines: logged.lines + 1 };
      const { org, dataset } = latest;
      log.info('Fetching past days', { org, dataset, done, total, running });
    }
  });
}

/** Logs counted progress every ten seconds. */
export function createCountedLog(
  { clock, log }: { readonly clock: Pick<Clock, 'elapsed'>; readonly log: Logger },
  { verb, unit }: ProgressWords,
): CountedProgress {
  let loggedAt = clock.elapsed();
  return {
    show(done, total) {
      if (clock.elapsed() - loggedAt < LOG_EVERY_MS) return;
      loggedAt = clock.elapsed();
      log.info(verb, { [`${unit}_done`]: done, [unit]: total });
    },
    clear: () => undefined,
  };
}
