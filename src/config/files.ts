import { readFile, stat } from 'node:fs/promises';
import type { Clock } from '../runtime/clock.ts';
import { textOf } from '../runtime/text-file.ts';

/** File access of the configuration. */
export interface Files {
  /** The text of a file; rejects with an error for `unreadable` if it cannot be read or is not UTF-8. */
  read(path: string): Promise<string>;
  /** A text that changes whenever the file is written or replaced, also behind a symbolic link. */
  fingerprint(path: string): Promise<string>;
}

/** The local file system. */
export function createFiles(): Files {
  return {
    read: async (path) => textOf(await readFile(path)),
    async fingerprint(path) {
      const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
      return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
    },
  };
}

/** Interval between checks of a watched file, in milliseconds. */
const LOOK_MS = 2_000;

/**
 * Calls back after a file was written or replaced, also behind a symbolic link, once two checks in a row found it
 * unchanged: a file that is being written is incomplete. Resolves when aborted. A file that is missing for a moment, as
 * during a replacement, is checked again.
 */
export async function watchFile(
  path: string,
  parts: {
    readonly files: Pick<Files, 'fingerprint'>;
    readonly clock: Pick<Clock, 'wait'>;
    readonly signal: AbortSignal;
    onChange(): void;
  },
): Promise<void> {
  const { files, clock, signal } = parts;
  let known = await look();
  let last = known;
  for (;;) {
    const isOver = await clock.wait(LOOK_MS, signal).then(
      () => false,
      () => true,
    );
    if (isOver) return;
    const now = await look();
    const isSettled = now === last;
    last = now;
    if (now === undefined || now === known || !isSettled) continue;
    known = now;
    parts.onChange();
  }

  function look(): Promise<string | undefined> {
    return files.fingerprint(path).catch(() => undefined);
  }
}
