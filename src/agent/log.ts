import { closeSync, constants, lstatSync, openSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createFolder } from '../files/local-file.ts';
import { attempt } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';

type Fields = Readonly<Record<string, string | number>>;

/** The hook command's log: its problems must not reach the agent. `error`: an event or a notification was lost. */
export interface HookLog {
  error(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  /** Registers a secret to mask. */
  remember(secret: string): void;
}

const maxBytes = 262_144;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants;
/** Flags for opening the log: follow no symbolic link, and do not wait for a reader of a pipe. */
const appending = O_WRONLY | O_APPEND | O_CREAT | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);

/** Creates a log that is written to a file at the end of a run, once all secrets are known. */
export function createFileLog(file: string, clock: Pick<Clock, 'now'>) {
  const entries: Fields[] = [];
  const secrets: string[] = [];
  function add(level: string, msg: string, fields: Fields = {}): void {
    entries.push({ ts: new Date(clock.now()).toISOString(), level, msg, ...fields });
  }
  return {
    error: (message: string, fields?: Fields) => add('error', message, fields),
    warn: (message: string, fields?: Fields) => add('warn', message, fields),
    remember: (secret: string) => void secrets.push(secret),
    /** Appends the entries to the file, if there are any. Never rejects: there is nobody to report to. */
    async write(): Promise<void> {
      // Most runs log nothing, and need not load the formatter and the redactor.
      if (entries.length === 0) return;
      const { formatLine, logfmtSyntax } = await import('../log/logfmt.ts');
      const { redact } = (await import('../log/redact.ts')).createRedactor(() => secrets);
      const shown = (value: string | number) => (typeof value === 'string' ? redact(value) : value);
      const lines = entries.splice(0).map((entry) => {
        const pairs = Object.entries(entry).map(([key, value]) => [key, shown(value)] as const);
        return formatLine(logfmtSyntax, pairs);
      });
      // Writing may fail: the disk may be full, or the directory without write permission.
      attempt(() => append(file, `${lines.join('\n')}\n`));
    },
  };
}

/**
 * Appends to a log file of at most 256 KiB, beside which one older file is kept. A symbolic link in its place is renamed too
 * and never written to.
 */
function append(file: string, text: string): void {
  createFolder(path.dirname(file));
  const before = lstatSync(file, { throwIfNoEntry: false });
  if (before !== undefined && (!before.isFile() || before.nlink > 1 || before.size > maxBytes)) {
    renameSync(file, `${file}.1`);
  }
  const descriptor = openSync(file, appending, 0o600);
  try {
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}
