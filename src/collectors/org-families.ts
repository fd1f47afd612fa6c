import { startOf } from '../catalog/day.ts';
import { currentFamily } from '../catalog/family.ts';
import { DEFAULT_PLATFORM } from '../catalog/settings.ts';

export const dataDayTimestamp = currentFamily({
  name: 'agent_platform_data_day_timestamp_seconds',
  help: 'Start of the newest complete UTC day of the dataset, in Unix seconds. The daily figures describe this day.',
  labels: ['dataset'],
  fixedLabels: ['dataset'],
  unit: 'seconds',
  source: 'the day of a row',
  aggregation: 'timestamp',
  dropPriority: 'main',
  samplesOf: (view) =>
    view.datasets.flatMap((dataset) => {
      const day = view.newestDay(dataset);
      return day === undefined ? [] : [{ labels: { dataset: dataset.name }, value: startOf(day) / 1000 }];
    }),
});

export const historyUncovered = currentFamily({
  name: 'agent_platform_history_uncovered',
  help: 'Days since the start of history without known data: not fetched yet, or fetched without a row that may still arrive. Do not sum over datasets: a day counts in each.',
  labels: ['dataset'],
  fixedLabels: ['dataset'],
  unit: 'days',
  source: 'the store of seen days',
  aggregation: 'additive',
  dropPriority: 'main',
  samplesOf: (view) =>
    view.datasets.map(({ name }) => ({ labels: { dataset: name }, value: view.uncoveredDays(name) })),
});

export const orgInfo = currentFamily({
  name: 'agent_platform_org_info',
  help: 'The platform of the organization, and its identifier there, empty while that is unknown; always 1.',
  labels: ['org_id', 'platform'],
  unit: 'info',
  source: 'setting orgs[].platform; the organization that an answer names',
  aggregation: 'info',
  dropPriority: 'main',
  samplesOf: ({ orgId = '', settings: { platform = DEFAULT_PLATFORM } }) => [
    { labels: { org_id: orgId, platform }, value: 1 },
  ],
});

/** The families about an organization's data. */
export const aboutFamilies = [dataDayTimestamp, historyUncovered, orgInfo] as const;
