import type { Family, Sample } from '../catalog/family.ts';
import { endsWithDigest, isLabelValue, labelValue } from '../catalog/label.ts';

/** The label value into which the values beyond a limit are summed. */
export const OTHER = 'other';

/** The label values that are kept, per label over its limit. */
export type KeptValues = ReadonlyMap<string, ReadonlySet<string>>;

/** Ranks label values by weight and keeps the first `limit`; equal weights rank by name. */
export function keepLargest(weights: ReadonlyMap<string, number>, limit: number): ReadonlySet<string> {
  const ranked = [...weights].filter(([value]) => value !== OTHER);
  ranked.sort(([a, aWeight], [b, bWeight]) => bWeight - aWeight || (a < b ? -1 : 1));
  return new Set(ranked.slice(0, limit).map(([value]) => value));
}

/**
 * A family's samples with every other label value summed into `other`. Numbers that cannot be summed (ratios, infos,
 * timestamps) are omitted if one of their labels is folded, and so is all that is unknown. An array of which nothing changes is
 * returned itself.
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
    // What has no name can belong to any of them.
    if (isKnown(sum) && (isRestKnown || !isRest(family, sum))) yield sum;
  }
}

interface Sum {
  readonly labels: Record<string, string>;
  value: number;
}

/** Adds a value to that of the same labels; of values that may not be added, the first one stays. */
function addTo(sums: Map<string, Sum>, family: Family, one: Sum, summable: boolean): void {
  const key = keyOf(family, { labels: one.labels, value: 0 });
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
 * `folded`: it belongs to `other`; `digest`: a value ends with a digest, and another value could have been given the
 * same name, which must not become a duplicate series; `plain`: it is published unchanged.
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

/** The sample with its published labels. */
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

/** Identifies a sample within its family. */
export function keyOf(family: { readonly labels: readonly string[] }, sample: Sample): string {
  const { labels } = family;
  const [only] = labels;
  if (labels.length === 1 && only !== undefined) return sample.labels[only] ?? '';
  // Lengths distinguish ("ab", "c") from ("a", "bc").
  return labels.map((label) => lengthPrefixed(sample.labels[label] ?? '')).join('');
}

function lengthPrefixed(value: string): string {
  return `${value.length}:${value}`;
}
