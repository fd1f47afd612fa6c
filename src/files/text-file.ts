import { isUtf8 } from 'node:buffer';

const LINE_FEED = 0x0a;

/** A file that is not UTF-8, as a spreadsheet may save one; the message follows its name and repeats nothing of it. */
class EncodingError extends Error {
  constructor(line: number) {
    super(`is not valid UTF-8 in line ${line}: save it in that encoding`);
    this.name = 'EncodingError';
  }
}

/**
 * The text of a file's bytes. Throws an error for `unreadable` if they are not UTF-8: with replaced characters, different
 * names would become equal, and a file that is written again would be damaged.
 */
export function textOf(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new EncodingError(invalidLineOf(bytes));
  return bytes.toString('utf8');
}

/** A line feed is never a part of another character: each line can be examined by itself. */
function invalidLineOf(bytes: Buffer): number {
  let line = 1;
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(LINE_FEED, start);
    if (end < 0 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
    line += 1;
  }
}

/** The reason that a file cannot be read, to follow its name. */
export function unreadable(error: unknown): string {
  if (error instanceof EncodingError) return error.message;
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  if (code === 'ENOENT') return 'does not exist';
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read: permission denied';
  if (code === 'EISDIR') return 'is a directory';
  if (code === 'EFBIG') return 'is too large';
  if (code === 'ENODATA') return 'is empty';
  return `cannot be read (${code})`;
}
