import type { Family, Sample } from '../catalog/family.ts';
import { keyOf } from './zeros.ts';

/** The label value that the values beyond a limit are summed into. */
export const OTHER = 'other';

/** The longest label value that is published, in UTF-16 code units. */
export const LABEL_VALUE_LIMIT = 256;

/** The label values that stay, per label over its limit. */
export type KeptValues = ReadonlyMap<string, ReadonlySet<string>>;

/** Ranks label values by weight and keeps the first `limit`; equal weights rank by name. */
export function keepLargest(weights: ReadonlyMap<string, number>, limit: number): ReadonlySet<string> {
  const ranked = [...weights].filter(([value]) => value !== OTHER);
  ranked.sort(([a, aWeight], [b, bWeight]) => bWeight - aWeight || (a < b ? -1 : 1));
  return new Set(ranked.slice(0, limit).map(([value]) => value));
}

/**
 * A family's samples with every label value that is not kept summed into `other`, and with over-long values
 * cut. Numbers that cannot be summed (ratios, infos, timestamps) are left out where a label of theirs is folded.
 */
export function* fold(family: Family, samples: Iterable<Sample>, kept: KeptValues): Generator<Sample> {
  const sums = new Map<string, { labels: Record<string, string>; value: number }>();
  const summable = family.nature === 'additive' || family.nature === 'distinct';
  for (const sample of samples) {
    const fate = fateOf(family, sample, kept);
    if (fate === 'plain') {
      yield sample;
      continue;
    }
    if (fate === 'folded' && !summable) continue;
    const labels = foldedLabels(family, sample, kept);
    const key = keyOf(family, { labels, value: 0 });
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { labels, value: sample.value });
    else if (summable) sum.value += sample.value;
  }
  yield* sums.values();
}

/** `plain`: as it is; `cut`: some value changes and may meet another one; `folded`: it belongs to `other`. */
function fateOf(family: Family, sample: Sample, kept: KeptValues): 'plain' | 'cut' | 'folded' {
  let fate: 'plain' | 'cut' = 'plain';
  for (const label of family.labels) {
    const value = sample.labels[label] ?? '';
    const stays = kept.get(label);
    if (stays !== undefined && !stays.has(value)) return 'folded';
    if (value.length >= LABEL_VALUE_LIMIT || !isPlain(value)) fate = 'cut';
  }
  return fate;
}

function foldedLabels(family: Family, sample: Sample, kept: KeptValues): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const label of family.labels) {
    const value = sample.labels[label] ?? '';
    const stays = kept.get(label);
    labels[label] = stays !== undefined && !stays.has(value) ? OTHER : publishable(value);
  }
  return labels;
}

/** A label value as it is published: well-formed Unicode of at most 256 code units. */
function publishable(value: string): string {
  return value.slice(0, LABEL_VALUE_LIMIT).toWellFormed();
}

function isPlain(value: string): boolean {
  return value.isWellFormed() && !value.includes('\uFFFD');
}
