import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../runtime/clock.ts';
import { formatLine, logfmtSyntax } from '../runtime/logfmt.ts';
import { createRedactor, type Redactor } from '../runtime/redact.ts';

type Fields = Readonly<Record<string, string | number>>;

/** The hook command's log: its problems are nothing to the agent. `error`: something was lost or not told. */
export interface HookLog {
  error(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  /** A secret that no line may show. */
  remember(secret: string): void;
}

const mostBytes = 262_144;

/** A log in a file of at most 256 KiB, with one older file beside it. Writing never fails: there is nobody to tell. */
export function createLogFile(file: string, clock: Clock): HookLog {
  const redactor: Redactor = createRedactor(() => []);
  function write(level: string, message: string, fields: Fields = {}): void {
    const line = formatLine(logfmtSyntax, [
      ['ts', new Date(clock.now()).toISOString()],
      ['level', level],
      ['msg', message],
      ...Object.entries(fields).map(
        ([key, value]) => [key, typeof value === 'string' ? redactor.redact(value) : value] as const,
      ),
    ]);
    try {
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
      if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > mostBytes) renameSync(file, `${file}.1`);
      appendFileSync(file, `${line}\n`, { mode: 0o600 });
    } catch {
      // A full disk, or a folder that may not be written.
    }
  }
  return {
    error: (message, fields) => write('error', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    remember: (secret) => redactor.remember(secret),
  };
}
