import type { Clock } from '../runtime/clock.ts';
import type { Logger } from '../runtime/logger.ts';
import {
  countSeries,
  createOrgSegments,
  declareFamilies,
  type OrgSegments,
  type PublishedFamily,
  placeSegments,
} from './org-segments.ts';
import { createPublished, type Published } from './published.ts';
import type { Segment } from './segment.ts';

/** Joins rendered segments into a page and publishes it atomically, at most once per second. */
export interface Publication {
  /**
   * Replaces all segments of an organization with these, by collector. Overflowed segments are omitted. Throws on a
   * family that is undeclared, belongs to another collector, or occurs twice.
   */
  replaceAll(org: string, segments: ReadonlyMap<string, readonly Segment[]>): void;
  /** Removes an organization's series from the page. */
  remove(org: string): void;
  /** Publishes changes at once. */
  flush(): Published;
  current(): Published;
  /** The names that `?collect[]=` accepts; initially those of all families. */
  readonly collectors: ReadonlySet<string>;
  /** Sets the names of the enabled collectors. */
  setCollectors(names: ReadonlySet<string>): void;
  /** An organization's series by family, whether published already or not. */
  seriesOf(org: string): ReadonlyMap<string, number>;
  /** Publishes changes and stops the timer; nothing may be published afterwards. */
  close(): void;
}

export interface PublicationDeps {
  /** The families in the order of the page. */
  readonly families: readonly PublishedFamily[];
  readonly clock: Clock;
  readonly log?: Logger | undefined;
}

const INTERVAL_MS = 1000;

/** Creates a publication, empty at first. */
export function createPublication({ families, clock, log }: PublicationDeps): Publication {
  const declared = declareFamilies(families);
  const collectors = new Set(families.flatMap(({ collector }) => collector ?? []));
  // Families that cannot be selected by name, such as those about the data, are part of every page.
  const everywhere = (collector: string) => !collectors.has(collector);
  const segmentsByOrg = new Map<string, OrgSegments>();
  let running: ReadonlySet<string> = collectors;
  const closing = new AbortController();
  let published = createPublished(0, [], new Map(), everywhere);
  let changed = false;
  let resting = false;

  function publish(): Published {
    if (!changed) return published;
    changed = false;
    const startedAt = clock.elapsed();
    const placed = placeSegments(declared, segmentsByOrg);
    published = createPublished(published.version + 1, placed, countSeries(segmentsByOrg), everywhere);
    log?.debug('Published', {
      version: published.version,
      bytes: published.deflated,
      milliseconds: Math.round(clock.elapsed() - startedAt),
    });
    return published;
  }

  function touch(): void {
    if (closing.signal.aborted) throw new Error('the publication is closed');
    changed = true;
    if (resting) return;
    publish();
    resting = true;
    // Only closing ends the wait early, and then there is nothing left to do.
    rest().catch(() => undefined);
  }

  async function rest(): Promise<void> {
    while (resting) {
      await clock.wait(INTERVAL_MS, closing.signal);
      resting = changed;
      try {
        publish();
      } catch (error) {
        // The previous page is kept; the next change retries.
        log?.error('The page could not be assembled', { error });
      }
    }
  }

  return {
    get collectors() {
      return running;
    },
    setCollectors(names) {
      running = names;
    },
    current: () => published,
    flush: publish,
    replaceAll(org, segments) {
      segmentsByOrg.set(org, createOrgSegments(declared, org, segments));
      touch();
    },
    remove(org) {
      if (segmentsByOrg.delete(org)) touch();
    },
    seriesOf(org) {
      const series = new Map<string, number>();
      for (const segments of segmentsByOrg.get(org)?.values() ?? []) {
        for (const { family, series: count } of segments.values()) {
          series.set(family, (series.get(family) ?? 0) + count);
        }
      }
      return series;
    },
    close() {
      publish();
      closing.abort(new Error('the publication is closed'));
    },
  };
}
