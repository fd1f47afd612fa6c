import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import { createSerialQueue } from '../runtime/serial-queue.ts';
import { runInSlices } from '../runtime/slices.ts';
import { createBlocks, type FormattedChunk } from './blocks.ts';
import type { OrgMetrics } from './org-metrics.ts';
import {
  countSeries,
  createOrgSegments,
  declareFamilies,
  type OrgSegments,
  type PlacedSegment,
  type PublishedFamily,
  placeSegments,
} from './org-segments.ts';
import { createPublished, type Published, withHeaders } from './published.ts';
import type { Segment } from './segment.ts';

/** Puts rendered segments on a page and publishes it atomically, at most once per second. */
export interface Publication {
  /**
   * Replaces all segments of an organization with these, by collector. Overflowed segments are omitted. A list that is
   * the same as before costs nothing. Throws on a family that is undeclared, belongs to another collector, or occurs
   * twice.
   */
  replaceAll(org: string, segments: ReadonlyMap<string, readonly Segment[]>): void;
  /** Removes an organization's series from the page. */
  remove(org: string): void;
  /**
   * Ends publishing by itself until the returned function is called: while nobody can read a page, assembling and
   * deflating unfinished ones would only delay the first complete one. `flush` publishes meanwhile.
   */
  hold(): () => void;
  /** Publishes changes now; resolves with a state that contains every earlier change. */
  flush(): Promise<Published>;
  current(): Published;
  /**
   * The state for a scrape: with all changes, unless the page has so many organizations, parts or bytes that publishing
   * them takes too long for a scrape; then the current one, and a publication follows soon.
   */
  fresh(): Promise<Published>;
  /** What `fresh` would resolve with, if nothing has to be published first. */
  ready(): Published | undefined;
  /** The names that `?collect[]=` accepts; initially those of all families. */
  readonly collectors: ReadonlySet<string>;
  /** Sets the names of the enabled collectors. */
  setCollectors(names: ReadonlySet<string>): void;
  /** An organization's series by family, whether published already or not. */
  seriesOf(org: string): ReadonlyMap<string, number>;
  /** Publishes changes and stops the timer; nothing may be published afterwards. */
  close(): Promise<void>;
}

interface PublicationDeps {
  /** The families in the order of the page. */
  readonly families: readonly PublishedFamily[];
  /** The exporter's own metrics of each organization, which follow them on the page. */
  readonly orgMetrics?: OrgMetrics | undefined;
  readonly clock: Clock;
  readonly log?: Logger | undefined;
}

const INTERVAL_MS = 1000;
/** The minimum pause after a publication, as a multiple of its duration: publishing must not occupy a whole core. */
const REST = 2;
/**
 * A scrape waits for changes if the page has at most so many organizations and segments. While more of them are polled, it
 * would wait for two publications, a tenth of a second with ten and a fifth with fifty.
 */
const FEW_ORGS = 4;
const FEW_SEGMENTS = 300;
/** And if it has at most this many bytes: with a million series, a publication occupies all cores for a second. */
const FEW_BYTES = 1024 * 1024;
/** The collector name under which the exporter's own metrics are published; no collector has it. */
const OWN = '';

/** Creates a publication, empty at first. */
export function createPublication({ families, orgMetrics, clock, log }: PublicationDeps): Publication {
  const own = orgMetrics?.families ?? [];
  const declared = declareFamilies([...families, ...own.map((family) => ({ ...family, collector: OWN }))]);
  const collectors = new Set(families.flatMap(({ collector }) => collector ?? []));
  const segmentsByOrg = new Map<string, OrgSegments>();
  const ownByOrg = new Map<string, OrgSegments>();
  const blocks = createBlocks(clock);
  const turns = createSerialQueue();
  const closing = new AbortController();
  let running: ReadonlySet<string> = collectors;
  let published = stateOf(0, [], []);
  let changed = false;
  let publishing = false;
  let resting = false;
  let held = false;
  let tookMs = 0;
  orgMetrics?.onChange(touch);

  function stateOf(
    version: number,
    placed: readonly PlacedSegment[],
    chunks: readonly FormattedChunk[],
  ): Published {
    return createPublished({
      ...{ version, placed, chunks, clock },
      series: countSeries(segmentsByOrg),
      // Families that cannot be selected by name, such as those about the data, are part of every page.
      isEverywhere: (collector) => !collectors.has(collector),
      isOwn: (collector) => collector === OWN,
    });
  }

  async function publish(): Promise<Published> {
    if (!changed) return published;
    changed = false;
    publishing = true;
    const startedAt = clock.elapsed();
    try {
      await renderOwn();
      const placed = await runInSlices(collect(placeAll()), clock);
      const { chunks, deflatedAnew } = await blocks.build(withHeaders(placed));
      published = stateOf(published.version + 1, placed, chunks);
      tookMs = clock.elapsed() - startedAt;
      log?.debug('Published', {
        version: published.version,
        bytes: published.deflated,
        deflatedAnew,
        milliseconds: Math.round(tookMs),
      });
    } catch (error) {
      changed = true;
      throw error;
    } finally {
      publishing = false;
    }
    return published;
  }

  /** A consistent copy: segments may change while these are deflated. */
  function placeAll(): Iterable<PlacedSegment> {
    const all = new Map<string, OrgSegments>(segmentsByOrg);
    for (const [org, segments] of ownByOrg) all.set(org, new Map([...(all.get(org) ?? []), ...segments]));
    return placeSegments(declared, all);
  }

  async function renderOwn(): Promise<void> {
    for (const org of orgMetrics?.takeChanged() ?? []) {
      const segments = await orgMetrics?.render(org);
      if (segments === undefined) ownByOrg.delete(org);
      else ownByOrg.set(org, createOrgSegments(declared, org, new Map([[OWN, segments]])));
    }
  }

  function flush(): Promise<Published> {
    return turns.run(publish);
  }

  /** Whether a scrape waits for changes. */
  function isSmall(): boolean {
    const orgs = Math.max(segmentsByOrg.size, ownByOrg.size);
    return orgs <= FEW_ORGS && published.segments <= FEW_SEGMENTS && published.deflated <= FEW_BYTES;
  }

  function touch(): void {
    if (closing.signal.aborted) return;
    changed = true;
    if (resting) return;
    resting = true;
    // Only closing ends it early, and then there is nothing left to do.
    publishFromNowOn().catch(() => undefined);
  }

  async function publishFromNowOn(): Promise<void> {
    while (changed && !held) {
      await flush().catch((error: unknown) => {
        // The previous page is kept; the next round tries again.
        log?.error('The page could not be assembled', { error });
      });
      await clock.wait(Math.max(INTERVAL_MS, REST * tookMs), closing.signal);
    }
    resting = false;
  }

  function expectOpen(): void {
    if (closing.signal.aborted) throw new Error('the publication is closed');
  }

  return {
    get collectors() {
      return running;
    },
    setCollectors(names) {
      running = names;
    },
    current: () => published,
    async fresh() {
      return isSmall() ? flush().catch(() => published) : published;
    },
    ready: () => (isSmall() && (changed || publishing) ? undefined : published),
    hold() {
      held = true;
      return () => {
        held = false;
        if (changed) touch();
      };
    },
    flush,
    replaceAll(org, segments) {
      expectOpen();
      segmentsByOrg.set(org, createOrgSegments(declared, org, segments, segmentsByOrg.get(org)));
      touch();
    },
    remove(org) {
      expectOpen();
      if (segmentsByOrg.delete(org)) touch();
    },
    seriesOf(org) {
      const series = new Map<string, number>();
      for (const { byFamily } of segmentsByOrg.get(org)?.values() ?? []) {
        for (const [family, { series: count }] of byFamily) {
          series.set(family, (series.get(family) ?? 0) + count);
        }
      }
      return series;
    },
    async close() {
      await flush();
      closing.abort(new Error('the publication is closed'));
    },
  };
}

function* collect<Item>(items: Iterable<Item>): Generator<void, readonly Item[]> {
  const collected: Item[] = [];
  for (const item of items) {
    collected.push(item);
    yield;
  }
  return collected;
}
