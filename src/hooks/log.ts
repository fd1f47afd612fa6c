import type { Clock } from '../runtime/clock.ts';
import type { Fields, LogEntry } from './log-file.ts';

/** The hook command's log: its problems are nothing to the agent. `error`: something was lost or not told. */
export interface HookLog {
  error(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  /** A secret that no line may show. */
  remember(secret: string): void;
}

/** A log that is written at the end of a run: most runs have nothing to say and need not load what writes. */
export interface PendingLog extends HookLog {
  /** Writes what there is to a file. Never rejects: there is nobody to tell. */
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
