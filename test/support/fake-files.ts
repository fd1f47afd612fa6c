import type { Files } from '../../src/files/reader.ts';

/** Files for tests, by path; a changed entry is a changed file, and an Error is thrown when it is read. */
export function createFakeFiles(contents: Map<string, string | Error>): Files {
  return {
    async read(path) {
      const found = contents.get(path) ?? Object.assign(new Error('not there'), { code: 'ENOENT' });
      if (found instanceof Error) throw found;
      return found;
    },
  };
}
