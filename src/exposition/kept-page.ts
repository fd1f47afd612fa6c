import { crc32Shift } from './deflated-chunk.ts';
import type { Segment, SegmentBody } from './segment.ts';

/** What a page was made from: it is the page of the stored data only as long as all of this is the same. */
export interface PageOrigin {
  /** The build of the program. */
  readonly release: string;
  /** Fingerprint of the settings that shape a page. */
  readonly settings: string;
  /** The state of the stored data. */
  readonly store: string;
}

/** Whether two pages are made from the same. */
export function isSameOrigin(one: PageOrigin, other: PageOrigin): boolean {
  return one.release === other.release && one.settings === other.settings && one.store === other.store;
}

/** The published part of one organization, with what the exporter's own metrics say about it. */
export interface KeptOrg {
  readonly org: string;
  /** The segments by collector. */
  readonly segments: ReadonlyMap<string, readonly Segment[]>;
  /** When each collector last succeeded, in milliseconds. */
  readonly succeededAt: Readonly<Record<string, number>>;
  /** The number of label values summed into `other`, by family. */
  readonly folded: Readonly<Record<string, number>>;
  /** The number of dropped families, by collector. */
  readonly dropped: Readonly<Record<string, number>>;
}

/** A published page, to be shown again by the next process until that has made it anew. */
export interface KeptPage {
  readonly origin: PageOrigin;
  /** When it was the current page, in milliseconds. */
  readonly at: number;
  /** From this instant on, something on it would have changed without a new answer; undefined if nothing ever does. */
  readonly until: number | undefined;
  /** Identifies the store in the exporter's own metrics. */
  readonly storeId: string | undefined;
  readonly orgs: readonly KeptOrg[];
}

/** A kept page without its content. */
export type PageHead = Omit<KeptPage, 'orgs'>;

/** The first line of the file. */
type Head = PageHead & { readonly orgs: number };

/** A segment in the line of its organization; its body follows the line. */
interface SegmentEntry {
  readonly collector: string;
  readonly family: string;
  readonly series: number;
  /** Length of the body in bytes. */
  readonly bytes: number;
  /** Of a body that is deflated already: checksum and length of its text. */
  readonly deflated?: { readonly crc: number; readonly length: number };
}

/** The line of an organization, which the bodies of its segments follow. */
type OrgEntry = Omit<KeptOrg, 'segments'> & { readonly segments: readonly SegmentEntry[] };

/** Pieces of at least this many bytes are passed on: thousands of small ones would cost more than what is in them. */
const PIECE = 64 * 1024;
const NEWLINE = 0x0a;

/** The bytes of a page: a line of JSON, then for each organization a line of JSON and the bodies of its segments. */
export function* encodePage({ orgs, ...head }: KeptPage): Generator<Buffer> {
  let parts = [lineOf({ ...head, orgs: orgs.length } satisfies Head)];
  let length = 0;
  for (const { segments, ...facts } of orgs) {
    const all = [...segments].flatMap(([collector, ofCollector]) =>
      ofCollector.flatMap((segment) => (segment.overflow ? [] : [{ collector, segment }])),
    );
    const entries = all.map(({ collector, segment }) => entryOf(collector, segment));
    for (const part of [
      lineOf({ ...facts, segments: entries } satisfies OrgEntry),
      ...all.map(({ segment }) => bytesOf(segment.body)),
    ]) {
      parts.push(part);
      length += part.length;
      if (length < PIECE) continue;
      yield Buffer.concat(parts);
      parts = [];
      length = 0;
    }
  }
  yield Buffer.concat(parts);
}

/**
 * Reads the bytes of a page, yielding after each organization; undefined if it is of another origin, which `accepts`
 * decides before anything else is read. Throws if the bytes are not what `encodePage` of the same build has written.
 */
export function* decodePage(
  bytes: Buffer,
  accepts: (page: PageHead) => boolean,
): Generator<void, KeptPage | undefined> {
  let at = 0;

  function line(): unknown {
    const end = bytes.indexOf(NEWLINE, at);
    if (end < 0) throw new Error('the page ends within a line');
    const text = bytes.toString('utf8', at, end);
    at = end + 1;
    return JSON.parse(text);
  }

  /** A copy: a part of the whole would keep all of it in memory. */
  function take(length: number): Buffer {
    if (at + length > bytes.length) throw new Error('the page ends within a segment');
    const taken = Buffer.allocUnsafeSlow(length);
    at += bytes.copy(taken, 0, at, at + length);
    return taken;
  }

  const { orgs: count, ...head } = line() as Head;
  if (!accepts(head)) return undefined;
  const orgs: KeptOrg[] = [];
  while (orgs.length < count) {
    const { segments: entries, ...facts } = line() as OrgEntry;
    const segments = new Map<string, Segment[]>();
    for (const { collector, family, series, bytes: length, deflated } of entries) {
      const body = take(length);
      const ofCollector = segments.get(collector) ?? [];
      segments.set(collector, ofCollector);
      ofCollector.push({
        ...{ family, org: facts.org, series, overflow: false },
        body: deflated ? { bytes: body, ...deflated, shift: crc32Shift(deflated.length) } : body,
      });
    }
    orgs.push({ ...facts, segments });
    yield;
  }
  return { ...head, orgs };
}

function entryOf(collector: string, { family, series, body }: Segment): SegmentEntry {
  const common = { collector, family, series, bytes: bytesOf(body).length };
  return Buffer.isBuffer(body) ? common : { ...common, deflated: { crc: body.crc, length: body.length } };
}

function bytesOf(body: SegmentBody): Buffer {
  return Buffer.isBuffer(body) ? body : body.bytes;
}

function lineOf(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
