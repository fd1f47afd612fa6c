import type { Family, Sample } from '../catalog/family.ts';
import { type KeptValues, keepLargest, OTHER } from './folding.ts';

/** Maximum number of values of a label before the smallest are folded. */
export type LabelLimit = (label: string) => number;

/** The values of one label that were seen, and their weights. */
interface Tally {
  /**
   * The family whose values are the weights: the first declared family with samples that has the label and is additive, or is a
   * breakdown into shares (which also has samples without a price). Without such a family: the first that counts people.
   */
  ranking: Family | undefined;
  readonly weights: Map<string, number>;
  readonly seen: Map<Family, Set<string>>;
}

/** Weighs the label values of a collector's families, to decide which values keep their own series. */
export function createLabelWeights(families: readonly Family[], limitOf: LabelLimit) {
  const tallies = new Map<string, Tally>();
  const limited = limitedLabelsOf(families);
  const additive = families.filter(({ aggregation }) => aggregation === 'additive');
  const summed = new Set(additive.flatMap(({ labels }) => labels));

  function tallyOf(label: string): Tally {
    const known = tallies.get(label);
    if (known !== undefined) return known;
    const tally = { ranking: undefined, weights: new Map(), seen: new Map() };
    tallies.set(label, tally);
    return tally;
  }

  function ranks(family: Family, label: string): boolean {
    if (family.aggregation === 'additive') return true;
    if (family.aggregation === 'distinct') return !summed.has(label);
    return family.aggregation === 'ratio' && family.scope === 'day' && family.breakdown;
  }

  function weigh(label: string, tally: Tally, family: Family, samples: readonly Sample[]): void {
    if (ranks(family, label)) tally.ranking ??= family;
    const isRanked = tally.ranking === family;
    const seen = tally.seen.get(family) ?? new Set<string>();
    tally.seen.set(family, seen);
    for (const sample of samples) {
      const value = sample.labels[label] ?? '';
      seen.add(value);
      if (isRanked) tally.weights.set(value, (tally.weights.get(value) ?? 0) + (sample.value || 0));
      else if (!tally.weights.has(value)) tally.weights.set(value, 0);
    }
  }

  return {
    /** Adds samples of a family, all of them or the next ones; families come in the order of declaration. */
    add(family: Family, samples: readonly Sample[]): void {
      if (samples.length === 0) return;
      for (const label of family.labels) {
        if (limited.has(label)) weigh(label, tallyOf(label), family, samples);
      }
    },
    /** For each label over its limit, its values with the largest weights. */
    kept(): KeptValues {
      const kept = new Map<string, ReadonlySet<string>>();
      for (const [label, { weights }] of tallies) {
        const limit = limitOf(label);
        if (ownValues(weights) > limit) kept.set(label, keepLargest(weights, limit));
      }
      return kept;
    },
    /** The number of values of each label over its limit, without `other`. */
    sizeOf: (label: string) => ownValues(tallies.get(label)?.weights ?? new Map()),
    /** The number of a family's label values that are not kept, over all labels. */
    foldedOf(family: Family, kept: KeptValues): number {
      let folded = 0;
      for (const [label, stays] of kept) {
        for (const value of tallies.get(label)?.seen.get(family) ?? []) {
          if (value !== OTHER && !stays.has(value)) folded++;
        }
      }
      return folded;
    },
  };
}

/** The number of values without `other`, which the platform itself may send as a value. */
function ownValues(weights: ReadonlyMap<string, number>): number {
  return weights.size - (weights.has(OTHER) ? 1 : 0);
}

/** The labels with open-ended values, which have a limit. A label that only infos have is an attribute, and has none. */
function limitedLabelsOf(families: readonly Family[]): ReadonlySet<string> {
  const limited = new Set<string>();
  for (const { aggregation, labels, fixedLabels = [] } of families)
    for (const label of labels)
      if (aggregation !== 'info' && !fixedLabels.includes(label)) limited.add(label);
  return limited;
}
