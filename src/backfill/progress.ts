import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';

/** Shows the progress of a backfill. */
export interface BackfillProgress {
  /** Updates the number of finished days, or of another unit. */
  show(done: number, total: number): void;
  /** Removes the bar at the end. */
  clear(): void;
}

/** What is done, such as `Backfilling`, and what is counted, such as `days`. */
export interface ProgressWords {
  readonly verb: string;
  readonly unit: string;
}

/** A status line of a terminal. */
interface Line {
  show(text: string): void;
}

const WIDTH = 30;
const REDRAW_MS = 100;
const LOG_MS = 10_000;

/** A bar on a terminal, redrawn at most ten times a second. */
export function createBar(
  line: Line,
  clock: Pick<Clock, 'elapsed'>,
  { verb, unit }: ProgressWords,
): BackfillProgress {
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    show(done, total) {
      if (done < total && clock.elapsed() - drawnAt < REDRAW_MS) return;
      drawnAt = clock.elapsed();
      const filled = total === 0 ? WIDTH : Math.floor((done / total) * WIDTH);
      const bar = '#'.repeat(filled).padEnd(WIDTH, '.');
      line.show(`${verb} [${bar}]  ${done}/${total} ${unit}`);
    },
    clear: () => line.show(''),
  };
}

/** A log line every ten seconds. */
export function createProgressLog(
  log: Logger,
  clock: Pick<Clock, 'elapsed'>,
  { verb, unit }: ProgressWords,
): BackfillProgress {
  let loggedAt = clock.elapsed();
  return {
    show(done, total) {
      if (clock.elapsed() - loggedAt < LOG_MS) return;
      loggedAt = clock.elapsed();
      log.info(verb, { [`${unit}_done`]: done, [unit]: total });
    },
    clear: () => undefined,
  };
}
