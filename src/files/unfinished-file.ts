import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './local-file.ts';

/**
 * Begins a file that is written under another name until it is complete, and an earlier file stays until then: the one that
 * will be at `path` in `unfinished`, on the same file system; an earlier one of that name is removed,
 * and a symbolic link in its place is not followed. Only its owner may read it, unless `mode` says otherwise. Throws the
 * system's error.
 */
export async function beginFile(path: string, unfinished: string, mode = 0o600) {
  await rm(unfinished, { force: true });
  const handle = await open(unfinished, 'wx', mode);
  const own = await handle.stat();

  async function isOwn(): Promise<boolean> {
    const found = await stat(unfinished).catch(() => undefined);
    return found?.ino === own.ino && found.dev === own.dev;
  }

  return {
    handle,
    /**
     * Moves the file into place, durably: a power failure leaves the old or the new one. Returns false, and moves nothing, if
     * another process has begun to write a file of the same name since.
     */
    async finish(): Promise<boolean> {
      await handle.sync();
      // Checked while it is open, since the number of a closed file can be given to another one.
      if (!(await isOwn())) return false;
      await handle.close();
      await rename(unfinished, path);
      syncFolder(dirname(path));
      return true;
    },
    /** Closes the file and removes it, unless it belongs to another process by now. */
    async abandon(): Promise<void> {
      const isLeft = await isOwn();
      await handle.close().catch(() => undefined);
      if (isLeft) await rm(unfinished, { force: true });
    },
  };
}
