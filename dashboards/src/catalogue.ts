import { dayDatasetOf } from '../../src/catalog/collector.ts';
import type { DatasetName } from '../../src/catalog/dataset.ts';
import { addsUpOverPlatforms, type Family } from '../../src/catalog/family.ts';
import { isRecorded, recordedNameOf } from '../../src/catalog/recorded.ts';
import { collectors } from '../../src/collectors/index.ts';
import { platforms } from '../../src/platforms/list.ts';

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

const MEMBERS = /\b(\w+): ([\w.]+(?:, [\w.]+)*)/g;

/** Whether a family may be added up over all organizations that have it: what counts the same on each platform, or is of one platform alone. */
export function addsUpOverAll(family: Pick<Family, 'aggregation' | 'unit' | 'source'>): boolean {
  const members = [...family.source.matchAll(MEMBERS)].flatMap(([, dataset = '', names = '']) =>
    names.split(', ').map((name) => [dataset as DatasetName, name] as const),
  );
  const having = platforms.filter(({ fields }) =>
    members.some(([dataset, name]) => name in (fields[dataset]?.members ?? {})),
  );
  return having.length === 1 || addsUpOverPlatforms(family);
}
