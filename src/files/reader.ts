import { createReadStream, statSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { type Clock, createSystemClock } from '../work/clock.ts';
import { textOf } from './text-file.ts';

/** File access of the configuration. */
export interface Files {
  /**
   * The text of a file; rejects with an error for `unreadable` if it cannot be read, is not UTF-8, or is blank after it had content:
   * whoever writes it has not finished, or failed.
   */
  read(path: string): Promise<string>;
}

/** A text that was read at some time, and what the file system had then said of its file `since` another one. */
interface Known {
  readonly mark: string;
  readonly since: number;
  readonly readAt: number;
  readonly text: string;
}

/** A pipe or a device says nothing of its size, and may have no end; in bytes. */
const MOST_BYTES_WITHOUT_SIZE = 64 * 1024 ** 2;

/** A file system may give two changes within so many milliseconds the same time. */
const SAME_TIME_MS = 2_000;

/**
 * The local file system. Key files are read before each request, and reading takes several times as long as asking whether a
 * file is the same: one that was read when it had been the same for a while is not read again. The question blocks the event loop
 * for microseconds; in a thread it takes ten times as long, and a tenth of the time in which all organizations are polled.
 */
export function createFiles(
  clock: Pick<Clock, 'elapsed'> = createSystemClock(),
  readBytes: (path: string, most: number) => Promise<Buffer> = readAtMost,
): Files {
  const known = new Map<string, Known>();
  return {
    async read(path) {
      const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
      const mark = [dev, ino, size, mtimeNs, ctimeNs].join(' ');
      const last = known.get(path);
      const isSame = last?.mark === mark;
      if (isSame && last.readAt - last.since > SAME_TIME_MS) return last.text;
      const readAt = clock.elapsed();
      const text = textOf(await readBytes(path, Math.max(Number(size), MOST_BYTES_WITHOUT_SIZE)));
      if (isBlank(text) && last !== undefined && !isBlank(last.text)) {
        throw Object.assign(new Error('the file is empty'), { code: 'ENODATA' });
      }
      known.set(path, { mark, since: isSame ? last.since : readAt, readAt, text });
      return text;
    },
  };
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Rejects, as the system would for a file that is too large, if there is more. */
async function readAtMost(path: string, most: number): Promise<Buffer> {
  const bytes = await buffer(createReadStream(path, { end: most }));
  if (bytes.length > most) throw Object.assign(new Error('file too large'), { code: 'EFBIG' });
  return bytes;
}
