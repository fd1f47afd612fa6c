import { Counter, Gauge, type Metric, type Registry } from 'prom-client';
import { formatValue } from './text.ts';

/** A metric about the exporter itself, declared once: the documentation and the metric are derived from it. */
export interface OwnMetric<Label extends string = string> {
  readonly name: `agent_platform_${string}`;
  /** One sentence without double quotes. */
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly Label[];
  /** The unit in plain words. */
  readonly unit: string;
  /** The source of the value in plain words. */
  readonly source: string;
  readonly stability: 'stable' | 'experimental';
  /** Set if all processes that share a store report the same value, so that sums must count each store once. */
  readonly sharedBy?: 'store';
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

/** Declares a metric; label names are checked wherever it is set. */
export function ownMetric<const Label extends string = never>(
  declaration: Omit<OwnMetric<Label>, 'stability'> & { readonly stability?: OwnMetric['stability'] },
): OwnMetric<Label> {
  return { stability: 'stable', ...declaration };
}

/** Creates a declared counter in a registry. */
export function makeCounter<Label extends string>(
  registry: Registry,
  declaration: OwnMetric<Label>,
): Counter<Label> {
  return new Counter(configuration(registry, declaration, 'counter'));
}

/** Creates a declared gauge in a registry; `collect` runs before each rendering. */
export function makeGauge<Label extends string>(
  registry: Registry,
  declaration: OwnMetric<Label>,
  collect?: (gauge: Gauge<Label>) => void,
): Gauge<Label> {
  const gauge: Gauge<Label> = new Gauge({
    ...configuration(registry, declaration, 'gauge'),
    ...(collect && { collect: () => collect(gauge) }),
  });
  return gauge;
}

/** One series of a histogram. */
export interface StoredSeries<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  /** For the bucket with this upper bound: numbers of values that are in no lower bucket, with their sums in milliseconds; all to be added up. */
  readonly bucketsOf: (bound: number) => readonly (readonly [count: number, ms: number])[];
}

/** Creates a declared histogram of seconds whose counts are kept elsewhere: prom-client's own can only observe values. */
export function makeStoredHistogram<Label extends string>(
  registry: Registry,
  declaration: OwnMetric<Label>,
  read: () => readonly StoredSeries<Label>[],
): void {
  const { name, help, type, buckets = [] } = declaration;
  function samplesOf({ labels, bucketsOf }: StoredSeries<Label>) {
    let [count, sum] = [0, 0];
    const samples = [...buckets, Number.POSITIVE_INFINITY].map((bound) => {
      for (const [values, ms] of bucketsOf(bound)) [count, sum] = [count + values, sum + ms];
      return { metricName: `${name}_bucket`, labels: { le: formatValue(bound), ...labels }, value: count };
    });
    return [
      ...samples,
      { metricName: `${name}_sum`, labels, value: sum / 1000 },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
  const get = async () => ({ name, help, type, values: read().flatMap(samplesOf) });
  registry.registerMetric({ name, get } as unknown as Metric);
}

function configuration<Label extends string>(
  registry: Registry,
  { name, help, type, labels }: OwnMetric<Label>,
  expected: OwnMetric['type'],
) {
  if (type !== expected) throw new Error(`${name} is declared as a ${type}`);
  return { name, help, labelNames: labels, registers: [registry] };
}
