import type { Family } from '../catalog/family.ts';
import type { FamilyText } from '../exposition/family-text.ts';
import type { Instruments } from '../exposition/instruments.ts';
import type { Publication } from '../exposition/publication.ts';
import type { Logger } from '../runtime/logger.ts';
import { familiesOverBudget } from './budget.ts';

export interface SnapshotParts {
  readonly publication: Pick<Publication, 'replace' | 'remove'>;
  readonly instruments: Instruments;
  /** Maximum number of series of one organization. */
  readonly seriesBudget: number;
  /** The last logged state, so that it is not logged twice. */
  readonly logged: Map<string, string>;
  readonly log: Logger;
}

/** A rendered family of one organization. */
export interface RenderedFamily {
  readonly family: Family;
  readonly series: number;
  /** The number of its label values that are summed into `other`. */
  readonly folded: number;
  readonly text: FamilyText | undefined;
}

/** The rendered families of one collector. */
export interface Rendered {
  readonly families: readonly RenderedFamily[];
  /** The number of values summed into `other`, for each label over its limit. */
  readonly foldedCounts: ReadonlyMap<string, number>;
}

/** The rendered families of an organization by collector. */
type RenderedCollectors = ReadonlyMap<string, Rendered>;

interface Made {
  /** The names of the families that were dropped. */
  readonly gone: string;
  readonly texts: readonly FamilyText[];
}

/** Creates the function that publishes an organization's families within its series budget, atomically. */
export function createSnapshotCommit(
  parts: SnapshotParts,
): (org: string, collectors: RenderedCollectors) => void {
  const { publication, instruments, logged, log } = parts;
  /** What was last made of a collector's families: most of them are as before. */
  const made = new WeakMap<Rendered, Made>();

  return (org, collectors) => {
    const { seriesBudget } = parts;
    const dropped = familiesOverBudget(sizesOf(collectors), seriesBudget);
    const texts = new Map<string, readonly FamilyText[]>();
    for (const [collector, rendered] of collectors) {
      const { families } = rendered;
      const isGone = ({ family }: RenderedFamily) => dropped.has(family.name);
      const gone = dropped.size === 0 ? [] : families.filter(isGone).map(({ family }) => family.name);
      const before = made.get(rendered);
      if (before?.gone === gone.join(' ')) {
        texts.set(collector, before.texts);
        continue;
      }
      const kept = families.flatMap((one) => (one.text === undefined || isGone(one) ? [] : [one.text]));
      texts.set(collector, kept);
      made.set(rendered, { gone: gone.join(' '), texts: kept });
      note(org, collector, rendered, gone);
    }
    publication.replace(org, texts);
  };

  function note(
    org: string,
    collector: string,
    { families, foldedCounts }: Rendered,
    gone: readonly string[],
  ): void {
    instruments.familiesDropped({ org, collector, count: gone.length });
    logDropped(org, collector, gone);
    logFolded(org, collector, foldedCounts);
    for (const { family, folded } of families) {
      if (family.labels.length === 0) continue;
      instruments.valuesFolded({ org, metric: family.name, count: folded });
    }
  }

  /** Logs the labels over their limit when they change. */
  function logFolded(org: string, collector: string, foldedCounts: ReadonlyMap<string, number>): void {
    const key = JSON.stringify([org, collector, 'labels']);
    const labels = [...foldedCounts.keys()].join(' ');
    if ((logged.get(key) ?? '') === labels) return;
    logged.set(key, labels);
    if (foldedCounts.size === 0) {
      log.info('All labels are within limits.values_per_label again', { org, collector });
      return;
    }
    log.warn('Labels exceed limits.values_per_label; summing the smallest values into other', {
      org,
      collector,
      labels,
      folded: [...foldedCounts].map(([label, count]) => `${label}: ${count}`).join(', '),
    });
  }

  /** Logs the dropped families when they change. */
  function logDropped(org: string, collector: string, gone: readonly string[]): void {
    const key = JSON.stringify([org, collector]);
    const families = gone.join(' ');
    if ((logged.get(key) ?? '') === families) return;
    logged.set(key, families);
    if (gone.length === 0) {
      log.info('All metric families are published again', { org, collector });
      return;
    }
    log.warn('Metric families dropped: the organization exceeds its share of limits.series', {
      org,
      collector,
      families,
      limit: parts.seriesBudget,
    });
  }
}

function sizesOf(collectors: RenderedCollectors) {
  return [...collectors.values()].flatMap(({ families }) =>
    families.map(({ family, series }) => ({
      family: family.name,
      dropPriority: family.dropPriority,
      labelled: family.labels.length > 0,
      series,
    })),
  );
}
