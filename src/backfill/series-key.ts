import type { Sample } from '../catalog/family.ts';

/** Label values have no control characters. */
const SEPARATOR = '\0';

/** The label values of a sample in one text. */
export function keyOf(labels: readonly string[], sample: Sample): string {
  const [only, ...others] = labels;
  if (only === undefined) return '';
  if (others.length === 0) return sample.labels[only] ?? '';
  return labels.map((label) => sample.labels[label] ?? '').join(SEPARATOR);
}

/** The labels of a series, from its key. */
export function labelsIn(labels: readonly string[], key: string): Sample['labels'] {
  const values = key.split(SEPARATOR);
  return Object.fromEntries(labels.map((label, index) => [label, values[index] ?? '']));
}
