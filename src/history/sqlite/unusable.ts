import { existsSync, renameSync } from 'node:fs';
import { ConfigError } from '../../runtime/errors.ts';

/** The files that SQLite keeps beside a database. */
const BESIDE = ['', '-wal', '-shm', '-journal'] as const;

/** A history that may not be written to: it is damaged, or of a newer release. */
export class UnusableHistory extends ConfigError {
  readonly reason: 'damaged' | 'newer';

  constructor(reason: UnusableHistory['reason'], message: string, hint: string) {
    super(message, hint);
    this.name = 'UnusableHistory';
    this.reason = reason;
  }
}

/** Renames a database, with all that is beside it, to the first name that is free, and gives that name. */
export function moveAside(path: string): string {
  let number = 1;
  while (existsSync(`${path}.damaged-${number}`)) number += 1;
  const aside = `${path}.damaged-${number}`;
  for (const suffix of BESIDE) if (existsSync(path + suffix)) renameSync(path + suffix, aside + suffix);
  return aside;
}
