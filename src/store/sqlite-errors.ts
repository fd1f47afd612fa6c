import { existsSync, renameSync } from 'node:fs';
import { ConfigError, messageOf } from '../text/errors.ts';

/** Why a file is unavailable. */
type TroubleReason = 'locked' | 'full' | 'read-only' | 'unreachable' | 'damaged' | 'refused' | 'failed';

/** The problem of a file, and a hint for the operator. */
export interface Trouble {
  readonly reason: TroubleReason;
  readonly detail: string;
  /** What the operator can do about it. */
  readonly hint: string;
}

const HINTS: Readonly<Record<TroubleReason, string>> = {
  locked: 'another exporter has taken the file: give each its own --storage.path',
  full: 'free space on the disk of --storage.path',
  'read-only': 'make the file and its directory writable for this process, or give another --storage.path',
  unreachable: 'create the directory of --storage.path or make its parent writable, or give another path',
  damaged: 'nothing: a new file takes its place',
  refused: 'give another --storage.path',
  failed: 'check the disk of --storage.path',
};

/** The reason by SQLite's extended result code, or by its primary one. */
const REASONS: ReadonlyMap<number, TroubleReason> = new Map([
  [3, 'read-only'],
  [5, 'locked'],
  [6, 'locked'],
  [8, 'read-only'],
  [11, 'damaged'],
  [13, 'full'],
  [14, 'unreachable'],
  // SQLITE_TOOBIG: no stored value is that long, so its length is damaged.
  [18, 'damaged'],
  [23, 'read-only'],
  [26, 'damaged'],
  // The file is shorter than it says; of other errors of reading and writing, the disk may recover.
  [522, 'damaged'],
]);

const SYSTEM_REASONS: ReadonlyMap<string, TroubleReason> = new Map([
  ['EACCES', 'read-only'],
  ['EPERM', 'read-only'],
  ['EROFS', 'read-only'],
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['ENOTDIR', 'unreachable'],
  ['EISDIR', 'unreachable'],
  ['EEXIST', 'unreachable'],
  ['ENOENT', 'unreachable'],
]);

/** Classifies an error of SQLite or of the file system. */
export function troubleOf(error: unknown): Trouble {
  const reason = reasonOf(error);
  if (error instanceof ConfigError)
    return { reason, detail: error.message, hint: error.hint ?? HINTS[reason] };
  return { reason, detail: messageOf(error), hint: HINTS[reason] };
}

function reasonOf(error: unknown): TroubleReason {
  if (!(error instanceof Error)) return 'failed';
  if (error instanceof ConfigError) return 'refused';
  // SQLite's general error: the tables of a file of ours are there, unless somebody has changed it.
  if (/^(?:no such (?:table|column)|unsupported file format|malformed database)/.test(error.message))
    return 'damaged';
  // The low byte is the primary code; the other bytes specify it further.
  if ('errcode' in error) {
    const code = Number(error.errcode);
    return REASONS.get(code) ?? REASONS.get(code & 0xff) ?? 'failed';
  }
  return ('code' in error ? SYSTEM_REASONS.get(String(error.code)) : undefined) ?? 'failed';
}

/** The files that SQLite keeps beside a database. */
const BESIDE = ['', '-wal', '-shm', '-journal'] as const;

/** Whether an error says that a file is damaged. */
export function isDamage(error: unknown): boolean {
  return reasonOf(error) === 'damaged';
}

/** Renames a database and the files beside it to the first unused name, and returns that name. */
export function moveAside(path: string, why: 'damaged' | 'older' = 'damaged'): string {
  let number = 1;
  while (existsSync(`${path}.${why}-${number}`)) number += 1;
  const aside = `${path}.${why}-${number}`;
  for (const suffix of BESIDE) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  return aside;
}
