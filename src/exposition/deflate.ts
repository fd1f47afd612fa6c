import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, crc32, createDeflateRaw, deflateRaw, type ZlibOptions } from 'node:zlib';

/** A deflated text: the beginning of a raw-deflate stream, up to a byte boundary. */
export interface Deflated {
  readonly bytes: Buffer;
  /** CRC-32 of the text. */
  readonly crc: number;
  /** Length of the text in bytes. */
  readonly length: number;
}

/** Minimum length of what is written at once: each write is a turn of zlib's thread. */
const BATCH = 128 * 1024;
/**
 * Measured with 100 000 series: 1.04 times the bytes of `gzip -6` in half of its time; level 3 takes 1.10 times. More memory
 * for zlib changes neither.
 */
const LEVEL = 4;
const CHUNK = 64 * 1024;
const OPEN = { level: LEVEL, chunkSize: CHUNK, finishFlush: constants.Z_SYNC_FLUSH };

const deflateWhole = promisify<Buffer, ZlibOptions, Buffer>(deflateRaw);

/** Ends a raw-deflate stream with a text, in one visit to zlib's thread. The text must not change. */
export function deflateEnd(text: Buffer): Promise<Buffer> {
  return deflateWhole(text, { level: LEVEL, chunkSize: Math.max(CHUNK, text.length >> 3) });
}

/** Deflates texts in zlib's thread; what is deflated next continues the stream. The texts must not change. */
export async function deflateOpen(texts: Iterable<Buffer>): Promise<Deflated> {
  const chunks: Buffer[] = [];
  let crc = 0;
  let length = 0;
  function* summed(): Generator<Buffer> {
    for (const batch of batches(texts)) {
      crc = crc32(batch, crc);
      length += batch.length;
      yield batch;
    }
  }
  await pipeline(summed(), createDeflateRaw(OPEN), async (deflated) => {
    for await (const chunk of deflated) chunks.push(chunk);
  });
  return { bytes: Buffer.concat(chunks), crc, length };
}

/** Joins short texts; never all of them, which would block the event loop. */
function* batches(texts: Iterable<Buffer>): Generator<Buffer> {
  let batch: Buffer[] = [];
  let length = 0;
  for (const text of texts) {
    batch.push(text);
    length += text.length;
    if (length < BATCH) continue;
    yield batch.length === 1 ? text : Buffer.concat(batch, length);
    batch = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(batch, length);
}
