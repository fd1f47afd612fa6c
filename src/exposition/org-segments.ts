import type { Piece } from './blocks.ts';
import { deflateShort } from './deflated-chunk.ts';
import { ownBuffer, type Segment } from './segment.ts';
import { type FamilyType, renderFamilyHeader } from './text.ts';

/** A family in page order. */
export interface PublishedFamily {
  readonly name: string;
  readonly help: string;
  /** A gauge by default. */
  readonly type?: FamilyType;
  /** The collector that publishes it; a family without one is shared, and each publisher has its own part of it. */
  readonly collector?: string | undefined;
}

/** A segment in its place on the page. */
export interface PlacedSegment {
  readonly collector: string;
  readonly org: string;
  readonly header: Piece;
  readonly piece: Piece;
}

/** One organization's segments by collector. */
export type OrgSegments = ReadonlyMap<string, CollectorSegments>;

interface CollectorSegments {
  /** What they were made from. */
  readonly rendered: readonly Segment[];
  /** Number of series. */
  readonly series: number;
  readonly byFamily: ReadonlyMap<string, OrgSegment>;
}

interface OrgSegment {
  readonly series: number;
  readonly placed: PlacedSegment;
}

interface Declaration {
  readonly header: Piece;
  readonly collector: string | undefined;
}

/** The families with their headers, by name and in page order. */
type Declared = ReadonlyMap<string, Declaration>;

/** Renders the families' headers; throws on a duplicate name and on a double quote in a help text. */
export function declareFamilies(families: readonly PublishedFamily[]): Declared {
  const declared = new Map<string, Declaration>();
  for (const { collector, ...family } of families) {
    const { name, help } = family;
    if (declared.has(name)) throw new Error(`the family ${name} is declared twice`);
    // The same bytes serve both formats, and only OpenMetrics would escape a quote.
    if (help.includes('"')) throw new Error(`the help of ${name} contains a double quote`);
    declared.set(name, { header: headerOf(family), collector });
  }
  return declared;
}

/** Only the names of counters differ between the formats. */
function headerOf({ name, help, type = 'gauge' }: Omit<PublishedFamily, 'collector'>): Piece {
  const text = renderFamilyHeader({ name, help, type });
  if (type !== 'counter') return { key: name, body: ownBuffer(text) };
  const openmetrics = renderFamilyHeader({ name: name.replace(/_total$/, ''), help, type }, 'openmetrics');
  return { key: name, body: { text: deflateShort(text), openmetrics: deflateShort(openmetrics) } };
}

/**
 * Sorts an organization's segments by family; throws if a family occurs twice. Those of a collector that are the same
 * as `before` stay as they are.
 */
export function createOrgSegments(
  declared: Declared,
  org: string,
  rendered: ReadonlyMap<string, readonly Segment[]>,
  before: OrgSegments = new Map(),
): OrgSegments {
  const sorted = new Map<string, CollectorSegments>();
  for (const [collector, segments] of rendered) {
    const known = before.get(collector);
    if (known?.rendered === segments) {
      sorted.set(collector, known);
      continue;
    }
    const byFamily = new Map<string, OrgSegment>();
    let sum = 0;
    for (const { family, org: named, overflow, series, body } of segments) {
      const declaration = declared.get(family);
      if (declaration === undefined) throw new Error(`the family ${family} is not declared`);
      const { collector: owner = collector, header } = declaration;
      if (owner !== collector)
        throw new Error(`the family ${family} belongs to ${owner}, not to ${collector}`);
      if (named !== org) throw new Error(`a segment of ${org} belongs to ${named}`);
      if (byFamily.has(family)) throw new Error(`the collector ${collector} has the family ${family} twice`);
      if (overflow) continue;
      const piece = { key: JSON.stringify([family, org, collector]), body };
      byFamily.set(family, { series, placed: { collector, org, header, piece } });
      sum += series;
    }
    sorted.set(collector, { rendered: segments, series: sum, byFamily });
  }
  return sorted;
}

/** The segments in page order: by family as declared, then by organization, then by collector. */
export function* placeSegments(
  declared: Declared,
  byOrg: ReadonlyMap<string, OrgSegments>,
): Generator<PlacedSegment> {
  const sorted = [...byOrg].sort(byName).map(([, segments]) => new Map([...segments].sort(byName)));
  for (const [family, { collector: owner }] of declared) {
    for (const segments of sorted) {
      for (const collector of owner === undefined ? segments.keys() : [owner]) {
        const placed = segments.get(collector)?.byFamily.get(family)?.placed;
        if (placed !== undefined) yield placed;
      }
    }
  }
}

/** Series by collector, 0 for those without any at present. */
export function countSeries(byOrg: ReadonlyMap<string, OrgSegments>): ReadonlyMap<string, number> {
  const series = new Map<string, number>();
  for (const byCollector of byOrg.values()) {
    for (const [collector, { series: count }] of byCollector)
      series.set(collector, (series.get(collector) ?? 0) + count);
  }
  return series;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
