import type { Clock } from '../runtime/clock.ts';
import { type BuiltBlocks, createBlocks, type FormattedChunk, type Piece } from './blocks.ts';
import { append, type DeflatedChunk } from './deflated-chunk.ts';
import type { PlacedSegment } from './org-segments.ts';
import type { Format } from './text.ts';

/** The parts of a page to include; everything by default. */
interface Selection {
  /** Names of collectors. */
  readonly collect?: readonly string[] | undefined;
  readonly org?: string | undefined;
}

/** One immutable state of everything published. */
export interface Published {
  /** Increases by one with each publication, from 0 for the empty one. */
  readonly version: number;
  /** Series by collector, including collectors without series at present. */
  readonly series: ReadonlyMap<string, number>;
  /** Number of segments on the page. */
  readonly segments: number;
  /** Length of the whole deflated page in bytes. */
  readonly deflated: number;
  /** The whole page in a format. */
  whole(format: Format): Page;
  /** A part of the page, which is deflated by itself. */
  part(selection: Selection, format: Format): Promise<Page>;
}

/** What a state is made of. */
interface PublishedParts {
  readonly version: number;
  readonly series: ReadonlyMap<string, number>;
  /** The segments in page order. */
  readonly placed: readonly PlacedSegment[];
  /** The blocks of all of them, headers included. */
  readonly chunks: readonly FormattedChunk[];
  /** Whether segments under this collector's name belong to every selection of collectors. */
  isEverywhere(collector: string): boolean;
  /** Whether segments under this collector's name are about the process's own work, and no part of a selection by organization. */
  isOwn(collector: string): boolean;
  readonly clock: Pick<Clock, 'elapsed'>;
}

// Beyond it the oldest is removed.
const KEPT_PARTS = 16;

/** Creates a state from segments and their blocks. */
export function createPublished(parts: PublishedParts): Published {
  const { version, series, placed, chunks, isEverywhere, isOwn, clock } = parts;
  const wholes: Partial<Record<Format, Page>> = {};
  const narrowed = new Map<string, Promise<BuiltBlocks>>();
  let byOrg: ReadonlyMap<string, readonly PlacedSegment[]> | undefined;

  /** Grouped once: with many organizations, searching all of them for each probe would add up. */
  function placedOf(org: string | undefined): readonly PlacedSegment[] {
    if (org === undefined) return placed;
    byOrg ??= Map.groupBy(placed, (segment) => segment.org);
    return (byOrg.get(org) ?? []).filter(({ collector }) => !isOwn(collector));
  }

  function blocksOf({ collect = [], org }: Selection): Promise<BuiltBlocks> {
    const selected = new Set(collect);
    const key = JSON.stringify([org ?? null, ...[...selected].sort()]);
    const known = narrowed.get(key);
    if (known !== undefined) return known;
    const chosen = placedOf(org).filter(
      ({ collector }) => selected.size === 0 || selected.has(collector) || isEverywhere(collector),
    );
    const made = createBlocks(clock).build(withHeaders(chosen));
    const [oldest] = narrowed.keys();
    if (narrowed.size >= KEPT_PARTS && oldest !== undefined) narrowed.delete(oldest);
    narrowed.set(key, made);
    return made;
  }

  function whole(format: Format): Page {
    wholes[format] ??= joinChunks(chunksIn(format, chunks));
    return wholes[format];
  }

  return {
    ...{ version, series, whole },
    segments: placed.length,
    deflated: chunks.reduce((sum, { text }) => sum + text.bytes.length, 0),
    async part(selection, format) {
      if ((selection.collect ?? []).length === 0 && selection.org === undefined) return whole(format);
      return joinChunks(chunksIn(format, (await blocksOf(selection)).chunks));
    },
  };
}

/** The pieces of segments in page order, with each family's header before its first segment. */
export function* withHeaders(placed: Iterable<PlacedSegment>): Generator<Piece> {
  let last: Piece | undefined;
  for (const { header, piece } of placed) {
    if (header !== last) yield header;
    last = header;
    yield piece;
  }
}

function* chunksIn(format: Format, chunks: Iterable<FormattedChunk>): Generator<DeflatedChunk> {
  for (const chunk of chunks) yield chunk[format];
}

/** Joined chunks: a deflate stream without its end, in few buffers. */
export interface Page {
  readonly parts: readonly Buffer[];
  /** Length of the deflated parts in bytes. */
  readonly deflated: number;
  /** Length of the text in bytes. */
  readonly length: number;
  /** CRC-32 of the text. */
  readonly crc: number;
}

// Chunks of at least this size are passed by reference; smaller ones are copied together, so that a scrape writes few
// buffers and a page of tens of megabytes is not copied.
const LARGE = 128 * 1024;

/** Joins chunks in order. */
function joinChunks(chunks: Iterable<DeflatedChunk>): Page {
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
