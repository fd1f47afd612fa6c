import {
  type BackfillProgress,
  createBar,
  createProgressLog,
  type ProgressWords,
} from '../backfill/progress.ts';
import type { LogConfig } from '../config/config.ts';
import type { Clock } from '../runtime/clock.ts';
import { type ClosableLogger, createLogger } from '../runtime/log-winston.ts';
import { createLoggedProgress, type Progress } from '../runtime/progress.ts';
import type { Redactor } from '../runtime/redact.ts';
import type { Output } from './command.ts';
import { createStatusLine, createTerminalProgress } from './terminal-progress.ts';

/** Shows the progress of a command. */
interface Display {
  readonly log: ClosableLogger;
  readonly fetching: Progress;
  progressOf(words: ProgressWords): BackfillProgress;
}

/** The log; on a terminal with a progress bar below it, elsewhere with progress messages. */
export function createDisplay(stderr: Output, config: LogConfig, clock: Clock, redactor: Redactor): Display {
  if (stderr.isTTY !== true) {
    const log = createLogger({ ...config, stream: stderr, clock, redactor });
    return {
      log,
      fetching: createLoggedProgress({ clock, log }),
      progressOf: (words) => createProgressLog(log, clock, words),
    };
  }
  const line = createStatusLine(stderr);
  const log = createLogger({ ...config, stream: line.stream, clock, redactor });
  const columns = () => stderr.columns ?? 80;
  return {
    log,
    fetching: createTerminalProgress(line, clock, columns),
    progressOf: (words) => createBar(line, clock, words),
  };
}
