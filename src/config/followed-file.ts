import { ConfigError } from '../runtime/errors.ts';
import { unreadable } from '../runtime/text-file.ts';
import type { Files } from './files.ts';

/** The last valid content of a file. */
interface FollowedFile<Content> {
  current(): Content;
  /**
   * Reads the file again if it changed; resolves with whether its text differs. Rejects with a `ConfigError` if it is
   * unusable, and keeps the previous content.
   */
  refresh(): Promise<boolean>;
}

/** Reads a file for the first time; `source` names it in messages. */
export async function followFile<Content>(
  { path, source, files }: { readonly path: string; readonly source: string; readonly files: Files },
  parse: (text: string) => Content | Promise<Content>,
): Promise<FollowedFile<Content>> {
  async function read(): Promise<{
    readonly seen: string;
    readonly text: string;
    readonly content: Content;
  }> {
    let seen: string;
    let text: string;
    try {
      // Taken before reading: after a write in between, the next refresh reads again.
      seen = await files.fingerprint(path);
      text = await files.read(path);
    } catch (error) {
      throw new ConfigError(`${source} ${unreadable(error)}`);
    }
    return { seen, text, content: await parse(text) };
  }
  let last = await read();
  return {
    current: () => last.content,
    async refresh() {
      const seen = await files.fingerprint(path).catch(() => undefined);
      if (seen === last.seen) return false;
      const before = last.text;
      last = await read();
      return last.text !== before;
    },
  };
}
