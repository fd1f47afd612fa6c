import type { DayDataset } from '../catalog/dataset.ts';
import { startOf } from '../catalog/day.ts';
import { type CurrentFamily, currentFamily, type FamilyDeclaration, type Sample } from '../catalog/family.ts';
import type { View } from '../catalog/view.ts';

export const dataDayTimestamp = {
  name: 'agent_platform_data_day_timestamp_seconds',
  help: 'Start of the newest complete UTC day of the dataset, which its daily figures describe, in Unix seconds.',
  labels: ['dataset'],
  unit: 'seconds',
  source: 'data[].date of the analytics endpoints',
  aggregation: 'timestamp',
  dropPriority: 'main',
} as const satisfies FamilyDeclaration<'dataset'>;

export const historyUncovered = {
  name: 'agent_platform_history_uncovered',
  help: 'Days since the start of history that are not known: not yet answered, or answered without a row that may still come. The sum over datasets counts a day more than once.',
  labels: ['dataset'],
  unit: 'days',
  source: 'the store of seen days',
  aggregation: 'additive',
  dropPriority: 'main',
} as const satisfies FamilyDeclaration<'dataset'>;

export const orgInfo = {
  name: 'agent_platform_org_info',
  help: 'The identifier that the platform gives the organization, always 1.',
  labels: ['org_id'],
  unit: 'info',
  source: 'meta.org_id of the analytics endpoints',
  aggregation: 'info',
  dropPriority: 'main',
} as const satisfies FamilyDeclaration<'org_id'>;

/** The families about an organization's data, for the day datasets whose collectors are enabled. */
export function aboutFamilies(datasets: readonly DayDataset<unknown>[]): readonly CurrentFamily[] {
  return [
    currentFamily({ ...dataDayTimestamp, samplesOf: (view) => dataDays(view, datasets) }),
    currentFamily({
      ...historyUncovered,
      samplesOf: (view) =>
        datasets.map(({ name }) => ({ labels: { dataset: name }, value: view.uncoveredDays(name) })),
    }),
    currentFamily({
      ...orgInfo,
      samplesOf: ({ orgId }) => (orgId === undefined ? undefined : [{ labels: { org_id: orgId }, value: 1 }]),
    }),
  ];
}

function* dataDays(view: View, datasets: readonly DayDataset<unknown>[]): Generator<Sample<'dataset'>> {
  for (const dataset of datasets) {
    const day = view.newestDay(dataset);
    if (day !== undefined) yield { labels: { dataset: dataset.name }, value: startOf(day) / 1000 };
  }
}
