import type { Clock } from '../runtime/clock.ts';
import type { Fields, LogEntry } from './log-file.ts';

/** The hook command's log: its problems must not reach the agent. `error`: an event or a notification was lost. */
export interface HookLog {
  error(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  /** Registers a secret to mask. */
  remember(secret: string): void;
}

/** A log that is written at the end of a run: most runs log nothing and need not load the writer. */
interface PendingLog extends HookLog {
  /** Writes the entries to a file. Never rejects: there is nobody to report to. */
  writeTo(file: string): Promise<void>;
}

/** Creates an empty log. */
export function createPendingLog(clock: Clock): PendingLog {
  const entries: LogEntry[] = [];
  const secrets: string[] = [];
  return {
    error: (message, fields = {}) => void entries.push({ at: clock.now(), level: 'error', message, fields }),
    warn: (message, fields = {}) => void entries.push({ at: clock.now(), level: 'warn', message, fields }),
    remember: (secret) => void secrets.push(secret),
    async writeTo(file) {
      if (entries.length === 0) return;
      const { appendToLog } = await import('./log-file.ts');
      appendToLog(file, entries.splice(0), secrets);
    },
  };
}
