import type { Clock } from './clock.ts';
import type { Logger } from './logger.ts';

/** A piece of work that takes long enough for people to ask how far it has come. */
export interface Work {
  readonly org: string;
  readonly dataset: string;
  /** How many days it is about. */
  readonly total: number;
}

/** Shows how far long work has come. */
export interface Progress {
  begin(work: Work): WorkInProgress;
}

export interface WorkInProgress {
  /** So many more days are done. */
  advance(days: number): void;
  /** The work is over, done or not. */
  end(): void;
}

/** How far all work has come together since none was under way. */
export interface ProgressState {
  readonly done: number;
  readonly total: number;
  /** How many pieces of work are under way; none once everything is over. */
  readonly running: number;
  /** The piece that came on last. */
  readonly latest: Work;
}

/** How often progress is logged, in milliseconds. */
const LOG_EVERY_MS = 10_000;

/** Adds up all work under way and shows each change of the sum. */
export function createProgress(show: (state: ProgressState) => void): Progress {
  let [done, total, running] = [0, 0, 0];
  return {
    begin(work) {
      let left = work.total;
      const notify = () => show({ done, total, running, latest: work });
      total += work.total;
      running++;
      notify();
      return {
        advance(days) {
          const counted = Math.min(days, left);
          left -= counted;
          done += counted;
          notify();
        },
        end() {
          running--;
          // What could not be done is no longer waited for.
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
