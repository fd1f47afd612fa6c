import { processMetrics } from '../../dashboards/src/health/process-metrics.ts';
import { alerts } from '../../dashboards/src/overview.ts';
import { recordedSuffix, windowsOf } from '../../dashboards/src/windows.ts';
import { dayDatasetOf } from '../../src/catalog/collector.ts';
import { isRecorded, recordedNameOf } from '../../src/catalog/recorded.ts';
import { aboutFamilies, collectors } from '../../src/collectors/index.ts';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';
import { hookMetrics } from '../../src/intake/metrics.ts';

interface Known {
  readonly labels: readonly string[];
  readonly counter: boolean;
  /** Whether its series have the label `org`. */
  readonly ofOrg: boolean;
  /** Whether a recording rule writes it, without the labels of the target. */
  readonly recorded: boolean;
}

const families = [...collectors.flatMap((collector) => collector.families), ...aboutFamilies];

/** Each recorded series: of a day family, one for each window in which a day may come. */
const recordedSeries = [
  ...collectors.flatMap((collector) => {
    const windows = windowsOf(dayDatasetOf(collector)?.name);
    return collector.families.flatMap((family) =>
      windows.map((window) => ({ family, suffix: recordedSuffix(window) })),
    );
  }),
  ...aboutFamilies.map((family) => ({ family, suffix: '' })),
];

/** Every metric that a dashboard may query, by name. */
export const known: ReadonlyMap<string, Known> = new Map([
  ...families.map(({ name, labels }) => entry(name, { labels: ['org', ...labels], counter: false })),
  ...recordedSeries
    .filter(({ family }) => isRecorded(family))
    .map(({ family: { name, labels }, suffix }) =>
      entry(recordedNameOf(name) + suffix, { labels: ['org', ...labels], counter: false, recorded: true }),
    ),
  ...[...Object.values(ownMetrics), ...Object.values(hookMetrics)].flatMap(({ name, type, labels }) =>
    type === 'histogram'
      ? ['_bucket', '_sum', '_count'].map((suffix) =>
          entry(name + suffix, { labels: [...labels, 'le'], counter: true }),
        )
      : [entry(name, { labels, counter: type === 'counter' })],
  ),
  entry(alerts.name, { labels: alerts.labels, counter: false, recorded: true }),
  ...Object.values(processMetrics).map(({ name, labels }) =>
    entry(name, { labels, counter: name.endsWith('_total') }),
  ),
]);

/** The metrics declared in the catalogue, by name. */
export const declared: readonly string[] = [
  ...families.map(({ name }) => name),
  ...[...Object.values(ownMetrics), ...Object.values(hookMetrics)].map(({ name }) => name),
];

function entry(
  name: string,
  { labels, counter, recorded = false }: Pick<Known, 'labels' | 'counter'> & { recorded?: boolean },
): [string, Known] {
  // Prometheus renames a label that the target has too.
  const renamed = labels.map((label) => `exported_${label}`);
  return [
    name,
    {
      labels: [...labels, ...renamed],
      counter,
      recorded,
      ofOrg: labels.includes('org') && name !== alerts.name,
    },
  ];
}
