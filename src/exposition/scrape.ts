import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';
import { append, type DeflatedChunk } from './deflated-chunk.ts';
import { contentTypes, type Negotiated } from './negotiate.ts';
import type { Page } from './published.ts';

/** A page that is ready to send: immutable, and can be sent any number of times. */
export interface ScrapedPage {
  readonly kind: 'page';
  readonly contentType: string;
  readonly contentEncoding: 'gzip' | undefined;
  /** Exact length of the body in bytes. */
  readonly contentLength: number;
  readonly body: ScrapeBody;
}

/**
 * Existing buffers to send in order or, if they must be created while sending, a new stream for each reader, which may
 * stop at any time.
 */
type ScrapeBody = { readonly parts: readonly Buffer[] } | { stream(): Readable };

// Deflate, no flags, no time, no file name, unknown system.
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
// The shortest final block: empty, with the fixed code.
const END_BLOCK = Buffer.from([0x03, 0x00]);
// A hundred megabytes in chunks of the default 16 KiB would take several thousand more turns.
const INFLATE_CHUNK = 128 * 1024;
// Up to this size one write of a copy is faster than many parts; beyond it, a copy would double the page's memory.
const SHORT = 1024 * 1024;

/** Joins a page and the chunk that ends it, in time that does not depend on the size of the page. */
export function assembleScrape(page: Page, ending: DeflatedChunk, { format, gzip }: Negotiated): ScrapedPage {
  const contentType = contentTypes[format];
  const { crc, length } = append(page, ending);
  if (!gzip) {
    const body = { stream: () => inflate([...page.parts, ending.bytes, END_BLOCK]) };
    return { kind: 'page', contentType, contentEncoding: undefined, contentLength: length, body };
  }
  const parts = [
    GZIP_HEADER,
    ...page.parts,
    Buffer.concat([ending.bytes, END_BLOCK, gzipTrailer(crc, length)]),
  ];
  const contentLength = parts.reduce((sum, part) => sum + part.length, 0);
  const body = { parts: contentLength <= SHORT ? [Buffer.concat(parts)] : parts };
  return { kind: 'page', contentType, contentEncoding: 'gzip', contentLength, body };
}

/** The complete body of a page, for callers that do not send it. */
export async function readBody(page: ScrapedPage): Promise<Buffer> {
  return Buffer.concat('parts' in page.body ? page.body.parts : await page.body.stream().toArray());
}

function gzipTrailer(crc: number, length: number): Buffer {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  return trailer;
}

function inflate(parts: readonly Buffer[]): Readable {
  const stream = createInflateRaw({ chunkSize: INFLATE_CHUNK });
  // The reader gets the failure from the stream itself; a reader that stops is not a failure.
  pipeline(Readable.from(parts), stream).catch(() => undefined);
  return stream;
}
