import type { Family, Sample } from '../catalog/family.ts';
import { endsWithDigest, isLabelValue, labelValue } from '../catalog/label.ts';

/** The label value into which the values beyond a limit are summed. */
export const OTHER = 'other';

/** For each label over its limit, the values that keep their own series. All other values go into `other`. */
export type KeptValues = ReadonlyMap<string, ReadonlySet<string>>;

/** Ranks label values by weight and keeps the first `limit`; equal weights rank by name. */
export function keepLargest(weights: ReadonlyMap<string, number>, limit: number): ReadonlySet<string> {
  const ranked = [...weights].filter(([value]) => value !== OTHER);
  ranked.sort(([a, aWeight], [b, bWeight]) => bWeight - aWeight || (a < b ? -1 : 1));
  return new Set(ranked.slice(0, limit).map(([value]) => value));
}

/**
 * Folds a family's samples: sums those with a label value that is not kept into `other`. A folded sample that cannot be summed (a
 * ratio, an info, a timestamp) is omitted, and so is every unknown value. An array that needs no change is returned as it is.
 */
export function foldAll(
  family: Family,
  samples: readonly Sample[] | Generator<Sample>,
  kept: KeptValues,
): Iterable<Sample> {
  const isPlain =
    Array.isArray(samples) &&
    samples.every((sample) => isKnown(sample) && fateOf(family, sample, kept) === 'plain');
  return isPlain ? samples : fold(family, samples, kept);
}

function* fold(family: Family, samples: Iterable<Sample>, kept: KeptValues): Generator<Sample> {
  const sums = new Map<string, Sum>();
  const summable = family.aggregation === 'additive' || family.aggregation === 'distinct';
  let isRestKnown = true;
  for (const sample of samples) {
    if (!isKnown(sample) && isRest(family, sample)) isRestKnown = false;
    const fate = fateOf(family, sample, kept);
    if (fate === 'plain') {
      if (isKnown(sample)) yield sample;
      continue;
    }
    if (fate === 'folded' && !summable) continue;
    addTo(sums, family, { labels: foldedLabels(family, sample, kept), value: sample.value }, summable);
  }
  for (const sum of sums.values()) {
    // An unknown part of `other` makes every sum with `other` unknown.
    if (isKnown(sum) && (isRestKnown || !isRest(family, sum))) yield sum;
  }
}

interface Sum {
  readonly labels: Record<string, string>;
  value: number;
}

/** Adds a sample to the sum with the same labels. If the family cannot be summed, the first value stays. */
function addTo(sums: Map<string, Sum>, family: Family, one: Sum, summable: boolean): void {
  const key = labelsKey(family, { labels: one.labels, value: 0 });
  const sum = sums.get(key);
  if (sum === undefined) sums.set(key, one);
  else if (summable) sum.value += one.value;
}

function isRest(family: Family, { labels }: Sample): boolean {
  return family.labels.some((label) => labels[label] === OTHER);
}

/** Whether a sample has a value, so that it can be published. */
export function isKnown({ value }: Sample): boolean {
  return !Number.isNaN(value);
}

/**
 * What happens to a sample. `folded`: it is summed into `other`. `digest`: one of its label values was shortened and ends with a
 * digest; another value may have the same short form, so samples with equal labels are merged. `plain`: it is published unchanged.
 */
function fateOf(family: Family, sample: Sample, kept: KeptValues): 'plain' | 'digest' | 'folded' {
  let fate: 'plain' | 'digest' = 'plain';
  for (const label of family.labels) {
    const value = sample.labels[label] ?? '';
    const stays = kept.get(label);
    if (stays !== undefined && !stays.has(value)) return 'folded';
    if (endsWithDigest(value)) fate = 'digest';
  }
  return fate;
}

function foldedLabels(family: Family, sample: Sample, kept: KeptValues): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const label of family.labels) {
    const value = sample.labels[label] ?? '';
    const stays = kept.get(label);
    labels[label] = stays !== undefined && !stays.has(value) ? OTHER : value;
  }
  return labels;
}

/** The sample with its label values as they are published: valid and not too long. */
export function labelled(family: Family, sample: Sample): Sample {
  let labels: Record<string, string> | undefined;
  for (const label of family.labels) {
    const value = sample.labels[label] ?? '';
    if (isLabelValue(value)) continue;
    labels ??= { ...sample.labels };
    labels[label] = labelValue(value);
  }
  return labels === undefined ? sample : { labels, value: sample.value };
}

/** A key that is unique for the label values of a sample within its family. */
export function labelsKey(family: { readonly labels: readonly string[] }, sample: Sample): string {
  const { labels } = family;
  const [only] = labels;
  if (labels.length === 1 && only !== undefined) return sample.labels[only] ?? '';
  // Lengths distinguish ("ab", "c") from ("a", "bc").
  return labels.map((label) => lengthPrefixed(sample.labels[label] ?? '')).join('');
}

function lengthPrefixed(value: string): string {
  return `${value.length}:${value}`;
}
