import { readFile, rm } from 'node:fs/promises';
import { codeOf, writeWhole } from '../files/local-file.ts';
import { ConfigError } from '../text/errors.ts';

/** A small JSON document that is replaced atomically, so that an interruption leaves the old or the new one. */
export type StateFile = ReturnType<typeof createStateFile>;

/** The state file at a path; its directory is created if necessary. */
export function createStateFile(path: string) {
  return {
    /** The document; undefined if there is none. Throws a `ConfigError` if it cannot be read. */
    async read(): Promise<unknown> {
      let text: string;
      try {
        text = await readFile(path, 'utf8');
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined;
        throw unusable(path, 'cannot be read');
      }
      try {
        return JSON.parse(text);
      } catch {
        throw unusable(path, 'is damaged');
      }
    },
    // Without waiting for the disk: what a power failure takes is sent, or written, once more.
    async write(document: unknown): Promise<void> {
      writeWhole(path, JSON.stringify(document));
    },
    remove: () => rm(path, { force: true }),
  };
}

function unusable(path: string, problem: string): ConfigError {
  return new ConfigError(
    `${path} ${problem}: it records what earlier backfills have written`,
    'fix it, or move it away to start over',
  );
}
