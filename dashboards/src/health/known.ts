import { dayDatasetOf, isFetching } from '../../../src/catalog/collector.ts';
import { collectors } from '../../../src/collectors/index.ts';

/** The collectors that send requests. */
export const collectorNames: readonly string[] = collectors.filter(isFetching).map(({ name }) => name);

/** The datasets of days. */
export const datasetNames: readonly string[] = [
  ...new Set(collectors.flatMap((collector) => dayDatasetOf(collector)?.name ?? [])),
];

/** The reasons of failed runs, the most frequent first. */
export const reasons = [
  'throttled',
  'server',
  'network',
  'timeout',
  'auth',
  'role',
  'schema',
  'limit',
  'organization',
] as const;
