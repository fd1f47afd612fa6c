import type { DayDataset } from '../catalog/dataset.ts';
import { startOf } from '../catalog/day.ts';
import { type CurrentFamily, currentFamily, type FamilyDeclaration, type Sample } from '../catalog/family.ts';
import type { View } from '../catalog/view.ts';

export const dataDayTimestamp = {
  name: 'agent_platform_data_day_timestamp_seconds',
  help: 'Start of the newest complete UTC day of the dataset, in Unix seconds. The daily figures describe this day.',
  labels: ['dataset'],
  fixedLabels: ['dataset'],
  unit: 'seconds',
  source: 'data[].date of the analytics endpoints',
  aggregation: 'timestamp',
  dropPriority: 'main',
} as const satisfies FamilyDeclaration<'dataset'>;

export const historyUncovered = {
  name: 'agent_platform_history_uncovered',
  help: 'Days since the start of history without known data: not fetched yet, or fetched without a row that may still arrive. Do not sum over datasets: a day counts in each.',
  labels: ['dataset'],
  fixedLabels: ['dataset'],
  unit: 'days',
  source: 'the store of seen days',
  aggregation: 'additive',
  dropPriority: 'main',
} as const satisfies FamilyDeclaration<'dataset'>;

export const orgInfo = {
  name: 'agent_platform_org_info',
  help: 'Identifier of the organization on the platform, always 1.',
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
