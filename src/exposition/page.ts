import { append, type DeflatedChunk } from './deflated-chunk.ts';

/** Joined chunks: a deflate stream that lacks its end, in few buffers. */
export interface Page {
  readonly parts: readonly Buffer[];
  /** Length of the deflated parts in bytes. */
  readonly deflated: number;
  /** Length of the text in bytes. */
  readonly length: number;
  /** CRC-32 of the text. */
  readonly crc: number;
}

// Chunks from this size on are passed along by reference; smaller ones are copied together, so that a scrape
// writes few buffers and a page of tens of megabytes is not copied.
const LARGE = 128 * 1024;

/** Joins chunks in their order. */
export function joinChunks(chunks: Iterable<DeflatedChunk>): Page {
  const parts: Buffer[] = [];
  let small: Buffer[] = [];
  let sum = { crc: 0, length: 0 };
  let deflated = 0;
  for (const chunk of chunks) {
    sum = append(sum, chunk);
    deflated += chunk.bytes.length;
    if (chunk.bytes.length >= LARGE) {
      closeSmall();
      parts.push(chunk.bytes);
    } else {
      small.push(chunk.bytes);
    }
  }
  closeSmall();
  return { parts, deflated, ...sum };

  function closeSmall(): void {
    if (small.length > 0) parts.push(Buffer.concat(small));
    small = [];
  }
}
