import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { formatLine, logfmtSyntax } from '../runtime/logfmt.ts';
import { createRedactor } from '../runtime/redact.ts';

export type Fields = Readonly<Record<string, string | number>>;

/** One line of the hook command's log. */
export interface LogEntry {
  /** Unix milliseconds. */
  readonly at: number;
  readonly level: 'error' | 'warn';
  readonly message: string;
  readonly fields: Fields;
}

const mostBytes = 262_144;

/**
 * Appends lines to a log file of at most 256 KiB, beside which one older file is kept. What cannot be written is lost
 * without a word: there is nobody to tell.
 */
export function appendToLog(file: string, entries: readonly LogEntry[], secrets: readonly string[]): void {
  const redactor = createRedactor(() => secrets);
  const lines = entries.map(({ at, level, message, fields }) =>
    formatLine(logfmtSyntax, [
      ['ts', new Date(at).toISOString()],
      ['level', level],
      ['msg', message],
      ...Object.entries(fields).map(
        ([key, value]) => [key, typeof value === 'string' ? redactor.redact(value) : value] as const,
      ),
    ]),
  );
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > mostBytes) renameSync(file, `${file}.1`);
    appendFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  } catch {
    // A full disk, or a folder that may not be written.
  }
}
