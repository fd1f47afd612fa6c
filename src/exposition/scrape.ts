import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import type { Registry } from 'prom-client';
import type { Clock } from '../work/clock.ts';
import { createSlices } from '../work/slices.ts';
import { type Deflated, deflateEnd } from './deflate.ts';
import { contentTypes } from './negotiate.ts';
import type { Format } from './text.ts';
import { encode } from './text.ts';

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
// Up to this size one write of a copy is faster than several parts. Readers of different copies share no memory.
const SHORT = 64 * 1024;
// A hundred megabytes in chunks of the default 16 KiB would take several thousand more turns of the event loop.
const INFLATE_CHUNK = 128 * 1024;

/** A scrape in each content coding. */
export type Scraped = Readonly<Record<'gzip' | 'identity', ScrapedPage>>;

/** Joins the page and the metrics about the exporter: as one gzip member, and as plain text that is inflated for each reader. */
export function assembleScrape(page: Deflated, ending: Ending, format: Format): Scraped {
  const contentType = contentTypes[format];
  let { length, crc } = page;
  for (const text of ending.texts) {
    length += text.length;
    crc = crc32(text, crc);
  }
  const parts = [GZIP_HEADER, page.bytes, Buffer.concat([ending.bytes, gzipTrailer(crc, length)])];
  const contentLength = parts.reduce((sum, part) => sum + part.length, 0);
  return {
    gzip: {
      kind: 'page',
      contentType,
      contentEncoding: 'gzip',
      contentLength,
      body: { parts: contentLength <= SHORT ? [Buffer.concat(parts)] : parts },
    },
    identity: {
      kind: 'page',
      contentType,
      contentEncoding: undefined,
      contentLength: length,
      body: { stream: () => inflate([page.bytes, ending.bytes]) },
    },
  };
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

/** The metrics about the exporter, which end a scrape: as text, and as the end of a raw-deflate stream. */
export interface Ending {
  readonly texts: readonly Buffer[];
  readonly bytes: Buffer;
}

interface OwnMetrics {
  /** The metrics of the process as a whole. */
  readonly registry: Registry;
  /** The metrics of each organization, in pieces. */
  textsOfOrgs(format: Format): Iterable<Buffer>;
}

/**
 * In milliseconds: an answer that somebody waits for has long slices of its own, because a round's work precedes each turn of
 * the event loop.
 */
const SLICE_MS = 30;

/** Creates the renderer of the metrics about the exporter, which end every scrape. */
export function createOwnPart(own: OwnMetrics, clock: Clock): (format: Format) => Promise<Ending> {
  return async (format) => {
    const slices = createSlices(clock, SLICE_MS);
    const ofProcess = await renderRegistry(own.registry, format);
    const texts: Buffer[] = [];
    function* noted() {
      for (const text of own.textsOfOrgs(format)) {
        texts.push(text);
        yield text;
      }
      const end = encode(format === 'openmetrics' ? `${ofProcess}# EOF\n` : ofProcess);
      texts.push(end);
      yield end;
    }
    return { bytes: await deflateEnd(noted(), slices), texts };
  };
}

const COUNTER_HEADER = /^(# (?:HELP|TYPE) \S+)_total /gm;

/** prom-client's text, with the usual spelling of NaN. If asked for OpenMetrics, prom-client would rename its counters for good. */
async function renderRegistry(registry: Registry, format: Format): Promise<string> {
  const text = (await registry.metrics()).replaceAll('\n\n', '\n').replaceAll(/ Nan$/gm, ' NaN');
  return format === 'text' ? text : text.replaceAll(COUNTER_HEADER, '$1 ');
}
