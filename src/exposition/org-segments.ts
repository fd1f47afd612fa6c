import { type DeflatedChunk, deflateShort } from './deflated-chunk.ts';
import type { PlacedSegment } from './published.ts';
import type { Segment } from './segment.ts';
import { renderFamilyHeader } from './text.ts';

/** A family in page order. */
export interface PublishedFamily {
  readonly name: string;
  readonly help: string;
  /** The collector that publishes it; a family without one is shared, and each publisher has its own part of it. */
  readonly collector?: string | undefined;
}

/** One organization's segments by family, by collector. */
export type OrgSegments = ReadonlyMap<string, ReadonlyMap<string, Segment>>;

interface Declaration {
  readonly header: DeflatedChunk;
  readonly collector: string | undefined;
}

/** The families with their headers, by name and in page order. */
export type Declared = ReadonlyMap<string, Declaration>;

/** Renders the families' headers; throws on a duplicate name and on a double quote in a help text. */
export function declareFamilies(families: readonly PublishedFamily[]): Declared {
  const declared = new Map<string, Declaration>();
  for (const { name, help, collector } of families) {
    if (declared.has(name)) throw new Error(`the family ${name} is declared twice`);
    // The same bytes serve both formats, and only OpenMetrics would escape a quote.
    if (help.includes('"')) throw new Error(`the help of ${name} holds a double quote`);
    const header = deflateShort(renderFamilyHeader({ name, help, type: 'gauge' }));
    declared.set(name, { header, collector });
  }
  return declared;
}

/** Sorts an organization's segments by family; throws if a family would be on the page twice. */
export function createOrgSegments(
  declared: Declared,
  org: string,
  rendered: ReadonlyMap<string, readonly Segment[]>,
): OrgSegments {
  const sorted = new Map<string, ReadonlyMap<string, Segment>>();
  for (const [collector, segments] of rendered) {
    const byFamily = new Map<string, Segment>();
    for (const segment of segments) {
      const { family } = segment;
      const declaration = declared.get(family);
      if (declaration === undefined) throw new Error(`the family ${family} is not declared`);
      const { collector: owner = collector } = declaration;
      if (owner !== collector)
        throw new Error(`the family ${family} belongs to ${owner}, not to ${collector}`);
      if (segment.org !== org) throw new Error(`a segment of ${segment.org} was given for ${org}`);
      if (byFamily.has(family)) throw new Error(`the family ${family} comes twice from ${collector}`);
      if (!segment.overflow) byFamily.set(family, segment);
    }
    sorted.set(collector, byFamily);
  }
  return sorted;
}

/** The segments in page order: by family as declared, then by organization, then by collector. */
export function placeSegments(
  declared: Declared,
  byOrg: ReadonlyMap<string, OrgSegments>,
): readonly PlacedSegment[] {
  const placed: PlacedSegment[] = [];
  const sorted = [...byOrg].sort(byName).map(([, segments]) => new Map([...segments].sort(byName)));
  for (const [family, { header, collector: owner }] of declared) {
    for (const segments of sorted) {
      for (const collector of owner === undefined ? segments.keys() : [owner]) {
        const segment = segments.get(collector)?.get(family);
        if (segment !== undefined) placed.push({ header, collector, segment });
      }
    }
  }
  return placed;
}

/** Series by collector, 0 for those without any at present. */
export function countSeries(byOrg: ReadonlyMap<string, OrgSegments>): ReadonlyMap<string, number> {
  const series = new Map<string, number>();
  for (const byCollector of byOrg.values()) {
    for (const [collector, segments] of byCollector) {
      let count = series.get(collector) ?? 0;
      for (const segment of segments.values()) count += segment.series;
      series.set(collector, count);
    }
  }
  return series;
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
