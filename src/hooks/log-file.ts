import { closeSync, constants, lstatSync, openSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatLine, logfmtSyntax } from '../runtime/logfmt.ts';
import { createRedactor } from '../runtime/redact.ts';
import { createFolder } from './files.ts';

export type Fields = Readonly<Record<string, string | number>>;

/** One line of the hook command's log. */
export interface LogEntry {
  /** Unix milliseconds. */
  readonly at: number;
  readonly level: 'error' | 'warn';
  readonly message: string;
  readonly fields: Fields;
}

const maxBytes = 262_144;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
/** Follows no symbolic link, and does not wait for a reader. */
const appending = O_WRONLY | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);

/**
 * Appends lines to a log file of at most 256 KiB, beside which one older file is kept. A symbolic link in its place is
 * renamed too and never written to. Entries that cannot be written are lost: there is nobody to report to.
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
    createFolder(path.dirname(file));
    const before = lstatSync(file, { throwIfNoEntry: false });
    if (before !== undefined && (!before.isFile() || before.nlink > 1 || before.size > maxBytes)) {
      renameSync(file, `${file}.1`);
    }
    const descriptor = openSync(file, appending, 0o600);
    try {
      writeFileSync(descriptor, `${lines.join('\n')}\n`);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // A full disk, or a directory without write permission.
  }
}
