import type { Registry } from 'prom-client';
import { escapeLabelValue, type FamilyType, type Format, formatValue, renderFamilyHeader } from './text.ts';

/** What is read of prom-client's `getMetricsAsJSON()`; its declared types are wider and partly wrong. */
export interface LiveMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly LiveValue[];
}

interface LiveValue {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string | number | undefined>>;
  /** The sample's name where it is not the metric's: `…_bucket`, `…_sum`, `…_count`. */
  readonly metricName?: string;
}

/**
 * Reads a registry metric by metric, as `getMetricsAsJSON()` does at a stretch: with a hundred organizations that
 * would hold the event loop for a tenth of a second.
 */
export async function* readRegistry(registry: Registry): AsyncGenerator<LiveMetric> {
  for (const { name } of registry.getMetricsAsArray()) {
    const metric = await registry.getSingleMetric(name)?.get();
    // The declaration has a numeric enum where the library has names.
    if (metric !== undefined) yield { ...metric, type: String(metric.type) };
  }
}

/** A metric as text, line by line; the first is the header. */
export function* renderMetric(metric: LiveMetric, format: Format): Generator<string> {
  const type = typeOf(metric.type);
  const counter = type === 'counter' && format === 'openmetrics';
  // OpenMetrics names a counter's family without the suffix and its sample with it.
  const family = counter ? metric.name.replace(/_total$/, '') : metric.name;
  const name = counter ? `${family}_total` : family;
  yield renderFamilyHeader({ name: family, help: metric.help, type }, format);
  for (const { value, labels = {}, metricName = name } of metric.values) {
    yield `${metricName}${renderLabels(labels)} ${formatValue(value)}\n`;
  }
}

// A label that was left out is the empty label, which Prometheus takes for the same series.
function renderLabels(labels: Readonly<Record<string, string | number | undefined>>): string {
  let text = '';
  for (const [label, value] of Object.entries(labels)) {
    if (value === undefined) continue;
    text += `${text === '' ? '' : ','}${label}="${escapeLabelValue(String(value))}"`;
  }
  return text === '' ? '' : `{${text}}`;
}

function typeOf(type: string): FamilyType {
  if (type === 'counter' || type === 'gauge' || type === 'histogram' || type === 'summary') return type;
  throw new Error(`prom-client reported the unknown metric type ${type}`);
}
