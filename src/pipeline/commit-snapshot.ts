import type { Family } from '../catalog/family.ts';
import type { Instruments } from '../exposition/instruments.ts';
import type { Page } from '../exposition/page.ts';
import type { FamilyText } from '../exposition/text.ts';
import type { Logger } from '../log/logger.ts';
import { familiesOverBudget } from './budget.ts';

export interface SnapshotParts {
  readonly page: Pick<Page, 'replace' | 'remove'>;
  readonly instruments: Instruments;
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

/** Publishes an organization's families within its series budget, and reports what it leaves out. */
export class SnapshotCommit {
  readonly #parts: SnapshotParts;
  /** The last logged state of each organization's collectors, so that it is not logged twice. */
  readonly #logged = new Map<string, string>();

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
  }

  /** Replaces all texts of an organization in one assignment; drops families beyond `seriesBudget` series. */
  replace(org: string, collectors: RenderedCollectors, seriesBudget: number): void {
    const all = [...collectors.values()].flatMap(({ families }) => families);
    const dropped = familiesOverBudget(all, seriesBudget);
    const texts = new Map<string, readonly FamilyText[]>();
    for (const [collector, rendered] of collectors) {
      const kept: FamilyText[] = [];
      const gone: string[] = [];
      for (const { family, text } of rendered.families) {
        if (dropped.has(family.name)) gone.push(family.name);
        else if (text !== undefined) kept.push(text);
      }
      texts.set(collector, kept);
      this.#report(org, collector, rendered, { gone, limit: seriesBudget });
    }
    this.#parts.page.replace(org, texts);
  }

  #report(
    org: string,
    collector: string,
    { families, foldedCounts }: Rendered,
    { gone, limit }: { readonly gone: readonly string[]; readonly limit: number },
  ): void {
    const { instruments, log } = this.#parts;
    instruments.familiesDropped({ org, collector, count: gone.length });
    for (const { family, folded } of families) {
      if (family.labels.length > 0) instruments.valuesFolded({ org, metric: family.name, count: folded });
    }
    const who = { org, collector };
    if (this.#isNews([org, collector], gone.join(' '))) {
      if (gone.length === 0) log.info('All metric families are published again', who);
      else
        log.warn('Metric families dropped: the organization exceeds its share of limits.series', {
          ...who,
          families: gone.join(' '),
          limit,
        });
    }
    const labels = [...foldedCounts.keys()].join(' ');
    if (!this.#isNews([org, collector, 'labels'], labels)) return;
    if (labels === '') log.info('All labels are within limits.values_per_label again', who);
    else
      log.warn('Labels exceed limits.values_per_label; summing the smallest values into other', {
        ...who,
        labels,
        folded: [...foldedCounts].map(([label, count]) => `${label}: ${count}`).join(', '),
      });
  }

  /** Whether a state differs from the last logged one, which is empty at first. */
  #isNews(key: readonly string[], state: string): boolean {
    const name = JSON.stringify(key);
    const before = this.#logged.get(name) ?? '';
    this.#logged.set(name, state);
    return before !== state;
  }
}
