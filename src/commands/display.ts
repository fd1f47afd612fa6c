import type { Config } from '../config/config.ts';
import { storageSecrets } from '../config/storage.ts';
import { createLogger } from '../log/log-winston.ts';
import { createCountedLog, createLoggedProgress, type ProgressWords } from '../log/progress.ts';
import { createRedactor } from '../log/redact.ts';
import { createTerminal, type Output } from '../log/terminal-progress.ts';
import type { Clock } from '../work/clock.ts';

type DisplayConfig = Pick<Config, 'log' | 'storage'> & Partial<Pick<Config, 'orgs' | 'people'>>;

/**
 * The log of a command; on a terminal with a progress bar below it, elsewhere with progress messages. The secrets of the configuration
 * and `more` are masked.
 */
export function createDisplay(
  stderr: Output,
  { log: settings, storage, orgs = [], people }: DisplayConfig,
  clock: Clock,
  more: () => readonly string[] = () => [],
) {
  const redactor = createRedactor(() => [
    ...orgs.flatMap((org) => org.credential.secrets()),
    ...(people?.secrets() ?? []),
    ...storageSecrets(storage),
    ...more(),
  ]);
  const terminal = createTerminal(stderr, clock);
  const log = createLogger({ ...settings, stream: terminal?.stream ?? stderr, clock, redactor });
  return {
    log,
    redactor,
    fetching: terminal?.fetching ?? createLoggedProgress({ clock, log }),
    progressOf: (words: ProgressWords) => terminal?.counted(words) ?? createCountedLog({ clock, log }, words),
  };
}
