import type { Collector } from '../catalog/collector.ts';
import type { Instant } from '../catalog/day.ts';
import type { StoredOrg } from '../store/store.ts';

/**
 * The number of a collector's documents that existed at an instant: of a history that does not change, equal numbers
 * are the same documents. Undefined if that does not decide the collector's figures.
 */
export type DocumentStates = (collector: Collector, at: Instant) => number | undefined;

/** Counts the documents of a history by instant. */
export function createDocumentStates(history: Pick<StoredOrg, 'documents'>): DocumentStates {
  const beginnings = new Map<Collector, readonly Instant[]>();

  function beginningsOf(collector: Collector): readonly Instant[] | undefined {
    const known = beginnings.get(collector);
    if (known !== undefined) return known;
    const { dataset } = collector;
    if (dataset.kind !== 'documents' || dataset.existsFrom === undefined) return undefined;
    const { existsFrom } = dataset;
    const instants = history
      .documents(dataset.name)
      .map((document) => existsFrom(document) ?? Number.NEGATIVE_INFINITY)
      .sort((one, other) => one - other);
    beginnings.set(collector, instants);
    return instants;
  }

  return (collector, at) => {
    const instants = beginningsOf(collector);
    if (instants === undefined) return undefined;
    const next = instants.findIndex((instant) => instant > at);
    return next === -1 ? instants.length : next;
  };
}
