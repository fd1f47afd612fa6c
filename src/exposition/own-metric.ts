import { Counter, Gauge, type Registry } from 'prom-client';

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
  /** Set if processes that share a store have the same value, and those of several stores are to be added up. */
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

function configuration<Label extends string>(
  registry: Registry,
  { name, help, type, labels }: OwnMetric<Label>,
  expected: OwnMetric['type'],
) {
  if (type !== expected) throw new Error(`${name} is declared as a ${type}`);
  return { name, help, labelNames: labels, registers: [registry] };
}
