import { append, type DeflatedChunk } from './deflated-chunk.ts';
import type { Segment } from './segment.ts';

/** The parts of a page to include; everything by default. */
export interface Selection {
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
  /** Length of the whole deflated page in bytes. */
  readonly deflated: number;
  /** The joined segments of a selection, with each family's header before its first segment. */
  page(selection?: Selection): Page;
}

/** A segment in its place on the page. */
export interface PlacedSegment {
  readonly header: DeflatedChunk;
  readonly collector: string;
  readonly segment: Segment;
}

// Of narrowed pages; beyond it the oldest is removed. The whole page is always kept.
const KEPT_PAGES = 16;

/** Creates a state from the segments in page order; collectors in `always` are part of every selection. */
export function createPublished(
  version: number,
  placed: readonly PlacedSegment[],
  series: ReadonlyMap<string, number>,
  always: (collector: string) => boolean,
): Published {
  const whole = joinChunks(chunksOf(placed));
  const narrowed = new Map<string, Page>();
  let byOrg: ReadonlyMap<string, readonly PlacedSegment[]> | undefined;

  /** Grouped once: with many organizations, searching all of them for each probe would add up. */
  function placedOf(org: string | undefined): readonly PlacedSegment[] {
    if (org === undefined) return placed;
    byOrg ??= Map.groupBy(placed, ({ segment }) => segment.org);
    return byOrg.get(org) ?? [];
  }

  function page({ collect = [], org }: Selection = {}): Page {
    if (collect.length === 0 && org === undefined) return whole;
    const selected = new Set(collect);
    const key = JSON.stringify([org ?? null, ...[...selected].sort()]);
    const known = narrowed.get(key);
    if (known !== undefined) return known;
    const chosen = placedOf(org).filter(
      ({ collector }) => selected.size === 0 || selected.has(collector) || always(collector),
    );
    const made = joinChunks(chunksOf(chosen));
    const [oldest] = narrowed.keys();
    if (narrowed.size >= KEPT_PAGES && oldest !== undefined) narrowed.delete(oldest);
    narrowed.set(key, made);
    return made;
  }

  return { version, series, deflated: whole.deflated, page };
}

function* chunksOf(placed: Iterable<PlacedSegment>): Iterable<DeflatedChunk> {
  let header: DeflatedChunk | undefined;
  for (const place of placed) {
    if (place.header !== header) yield place.header;
    header = place.header;
    yield place.segment.chunk;
  }
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
