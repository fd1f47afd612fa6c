import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw } from 'node:zlib';
import { append, type DeflatedChunk } from './deflated-chunk.ts';
import { contentTypes, type Negotiated } from './negotiate.ts';
import type { Page } from './published.ts';

/** A page that is ready to be sent: immutable, and safe to be sent any number of times. */
export interface ScrapedPage {
  readonly kind: 'page';
  readonly contentType: string;
  readonly contentEncoding: 'gzip' | undefined;
  /** Length of the body in bytes, exactly. */
  readonly contentLength: number;
  readonly body: ScrapeBody;
}

/**
 * Buffers that are kept anyway, to be sent in their order, or where they have to be made as they are sent, a new
 * stream for each reader, which may leave at any time.
 */
export type ScrapeBody = { readonly parts: readonly Buffer[] } | { stream(): Readable };

// Deflate, no flags, no time, no file name, unknown system.
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
// The shortest final block: compressed with the fixed code, holding nothing.
const END_BLOCK = Buffer.from([0x03, 0x00]);
// A hundred megabytes in chunks of the default 16 KiB would cost several thousand turns more.
const INFLATE_CHUNK = 128 * 1024;
// Up to here one write of a copy is faster than one of many parts; beyond, it would double the page's memory.
const SHORT = 256 * 1024;

/** Puts a page and the chunk that ends it together, without work that grows with the page. */
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

/** The whole body of a page, for those who do not send it anywhere. */
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
  // Whoever reads sees the failure on the stream itself; a reader that leaves is not one.
  pipeline(Readable.from(parts), stream).catch(() => undefined);
  return stream;
}
