import { ConfigError } from '../../runtime/errors.ts';
import { type Files, unreadable } from '../files.ts';

/** A file as it was last read well. */
export interface ReadFile<Content> {
  current(): Content;
  /**
   * Reads the file again where it has changed; gives whether its content is another one now. Rejects with a
   * `ConfigError` where it cannot be used: what was read before stays.
   */
  refresh(): Promise<boolean>;
}

/** Reads a file for the first time; `origin` names who wants it. */
export async function openFile<Content>(
  { path, origin, files }: { readonly path: string; readonly origin: string; readonly files: Files },
  parse: (text: string) => Content | Promise<Content>,
): Promise<ReadFile<Content>> {
  async function read(): Promise<{
    readonly seen: string;
    readonly text: string;
    readonly content: Content;
  }> {
    let seen: string;
    let text: string;
    try {
      // Taken before the reading: a write in between makes the next refresh read again.
      seen = await files.fingerprint(path);
      text = await files.read(path);
    } catch (error) {
      throw new ConfigError(`${origin}: ${path} ${unreadable(error)}`);
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
