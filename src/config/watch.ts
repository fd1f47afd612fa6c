import type { Clock } from '../runtime/clock.ts';
import type { Files } from './files.ts';

/** How often a watched file is looked at, in milliseconds. */
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
