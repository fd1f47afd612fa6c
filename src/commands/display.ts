import {
  type BackfillProgress,
  createBar,
  createProgressLog,
  type ProgressWords,
} from '../backfill/progress.ts';
import type { Config } from '../config/config.ts';
import { storageSecrets } from '../config/storage.ts';
import type { Clock } from '../runtime/clock.ts';
import { type ClosableLogger, createLogger } from '../runtime/log-winston.ts';
import { createLoggedProgress, type Progress } from '../runtime/progress.ts';
import { createRedactor, type Redactor } from '../runtime/redact.ts';
import type { Output } from './command.ts';
import { createStatusLine, createTerminalProgress } from './terminal-progress.ts';

type DisplayConfig = Pick<Config, 'log' | 'storage'> & Partial<Pick<Config, 'orgs' | 'people'>>;

/** Shows the progress of a command. */
interface Display {
  readonly log: ClosableLogger;
  readonly redactor: Redactor;
  readonly fetching: Progress;
  progressOf(words: ProgressWords): BackfillProgress;
}

/**
 * The log; on a terminal with a progress bar below it, elsewhere with progress messages. The secrets of the configuration
 * and `more` are masked.
 */
export function createDisplay(
  stderr: Output,
  { log: settings, storage, orgs = [], people }: DisplayConfig,
  clock: Clock,
  more: () => readonly string[] = () => [],
): Display {
  const redactor = createRedactor(() => [
    ...orgs.flatMap((org) => org.credential.secrets()),
    ...(people?.secrets() ?? []),
    ...storageSecrets(storage),
    ...more(),
  ]);
  if (stderr.isTTY !== true) {
    const log = createLogger({ ...settings, stream: stderr, clock, redactor });
    return {
      log,
      redactor,
      fetching: createLoggedProgress({ clock, log }),
      progressOf: (words) => createProgressLog(log, clock, words),
    };
  }
  const line = createStatusLine(stderr);
  const log = createLogger({ ...settings, stream: line.stream, clock, redactor });
  const columns = () => stderr.columns ?? 80;
  return {
    log,
    redactor,
    fetching: createTerminalProgress(line, clock, columns),
    progressOf: (words) => createBar(line, clock, words),
  };
}
