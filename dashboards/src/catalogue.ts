import { dayDatasetOf } from '../../src/catalog/collector.ts';
import type { DatasetName } from '../../src/catalog/dataset.ts';
import { isRecorded, recordedNameOf } from '../../src/catalog/recorded.ts';
import { collectors } from '../../src/collectors/index.ts';

/** The dataset whose newest day a family describes; throws if the family describes no day. */
export function datasetOf(family: { readonly name: string }): DatasetName {
  for (const collector of collectors) {
    const declared = collector.families.find(({ name }) => name === family.name);
    const dataset = declared?.scope === 'day' ? dayDatasetOf(collector) : undefined;
    if (dataset !== undefined) return dataset.name;
  }
  throw new Error(`${family.name} describes no day of a dataset`);
}

const EXCLUDABLE: ReadonlySet<string> = new Set(
  collectors.flatMap(({ families }) => families.map(({ name }) => name)),
);

/** Whether the setting `metrics.exclude` can leave out a metric. */
export function isExcludable(name: string): boolean {
  return EXCLUDABLE.has(name);
}

/** The name of a family's recorded series; throws if it is not recorded. */
export function recordedOf(family: { readonly name: string }): string {
  const declared = collectors.flatMap(({ families }) => families).find(({ name }) => name === family.name);
  if (declared !== undefined && isRecorded(declared)) return recordedNameOf(family.name);
  throw new Error(`${family.name} is not recorded: see src/catalog/recorded.ts`);
}
