import { readFile, stat } from 'node:fs/promises';
import type { Clock } from '../runtime/clock.ts';

/** The files that a configuration is read from. */
export interface Files {
  /** The text of a file (UTF-8); rejects with the system's error. */
  read(path: string): Promise<string>;
  /** A text that changes whenever the file is written or replaced, also behind a symbolic link. */
  fingerprint(path: string): Promise<string>;
}

/** The files of this machine. */
export function createFiles(): Files {
  return {
    read: (path) => readFile(path, 'utf8'),
    async fingerprint(path) {
      const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
      return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
    },
  };
}

/** Files for tests, by path; what is put there later is a change, an Error is what reading it throws. */
export function createFakeFiles(contents: Map<string, string | Error>): Files {
  function find(path: string): string {
    const found = contents.get(path) ?? Object.assign(new Error('not there'), { code: 'ENOENT' });
    if (found instanceof Error) throw found;
    return found;
  }
  return { read: async (path) => find(path), fingerprint: async (path) => find(path) };
}

/** Why a file cannot be read, as the text after its name. */
export function unreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read: permission denied';
  if (code === 'EISDIR') return 'is a directory';
  return `cannot be read (${code})`;
}

/** How often a watched file is checked, in milliseconds. */
const LOOK_MS = 2_000;

/**
 * Calls back after a file has been written or replaced, also behind a symbolic link, once it looks the same twice: a
 * file that is just being written is only half there. Resolves when aborted. A file that is away for a moment, as
 * when it is replaced, is looked at again.
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
