import type { Family, Sample } from '../catalog/family.ts';
import { isLabelValue, labelValue } from '../catalog/label.ts';

/** The sample with its labels as they are published. */
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

/** What tells a family's samples apart. */
export function keyOf(family: { readonly labels: readonly string[] }, sample: Sample): string {
  const { labels } = family;
  const [only] = labels;
  if (labels.length === 1 && only !== undefined) return sample.labels[only] ?? '';
  // Lengths keep ("ab", "c") and ("a", "bc") apart.
  return labels.map((label) => lengthPrefixed(sample.labels[label] ?? '')).join('');
}

function lengthPrefixed(value: string): string {
  return `${value.length}:${value}`;
}
