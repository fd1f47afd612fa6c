import { dayDatasetOf, isFetching } from '../../../src/catalog/collector.ts';
import { collectors } from '../../../src/collectors/index.ts';

/** The collectors that ask the platform. */
export const collectorNames: readonly string[] = collectors.filter(isFetching).map(({ name }) => name);

/** The datasets that have days. */
export const datasetNames: readonly string[] = [
  ...new Set(collectors.flatMap((collector) => dayDatasetOf(collector)?.name ?? [])),
];

/** Why a run fails, by how often one would see it. */
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
