import { append, type Piece } from './piece.ts';

/** Joined pieces: a deflate stream that lacks its end, in few buffers. */
export interface Page {
  readonly parts: readonly Buffer[];
  /** Length of the deflated parts in bytes. */
  readonly deflated: number;
  /** Length of the text in bytes. */
  readonly length: number;
  /** CRC-32 of the text. */
  readonly crc: number;
}

// Pieces from this size on are passed along by reference; smaller ones are copied together, so that a scrape
// writes few buffers and a page of tens of megabytes is not copied.
const LARGE = 128 * 1024;

/** Joins pieces in their order. */
export function joinPieces(pieces: Iterable<Piece>): Page {
  const parts: Buffer[] = [];
  let small: Buffer[] = [];
  let sum = { crc: 0, length: 0 };
  let deflated = 0;
  for (const piece of pieces) {
    sum = append(sum, piece);
    deflated += piece.bytes.length;
    if (piece.bytes.length >= LARGE) {
      closeSmall();
      parts.push(piece.bytes);
    } else {
      small.push(piece.bytes);
    }
  }
  closeSmall();
  return { parts, deflated, ...sum };

  function closeSmall(): void {
    if (small.length > 0) parts.push(Buffer.concat(small));
    small = [];
  }
}
