import type { Registry } from 'prom-client';
import type { Clock } from '../runtime/clock.ts';
import { createSlices } from '../runtime/slices.ts';
import { deflateEnd } from './deflate.ts';
import { encodeLines } from './family-text.ts';
import { escapeLabelValue, type FamilyType, type Format, formatValue, renderFamilyHeader } from './text.ts';

/** The end of a scrape: text, and the same as the end of a raw-deflate stream. */
export interface Ending {
  readonly text: readonly Buffer[];
  readonly bytes: Buffer;
  /** Length of the text in bytes. */
  readonly length: number;
}

interface OwnPartDeps {
  /** The metrics of the process as a whole. */
  readonly registry: Registry;
  /** The metrics of each organization, as lines. */
  linesOfOrgs(format: Format): Iterable<string>;
  readonly clock: Clock;
}

/** Creates the renderer of the part of a scrape about the exporter itself. */
export function createOwnPart(deps: OwnPartDeps): (format: Format) => Promise<Ending> {
  const slices = createSlices(deps.clock);
  return async (format) => {
    const ofProcess = await readRegistry(deps.registry);
    const text = await encodeLines(linesOf(deps.linesOfOrgs(format), ofProcess, format), slices);
    const { bytes, length } = await deflateEnd(text);
    return { text, bytes, length };
  };
}

function* linesOf(
  ofOrgs: Iterable<string>,
  ofProcess: readonly ProcessMetric[],
  format: Format,
): Generator<string> {
  yield* ofOrgs;
  for (const metric of ofProcess) yield* renderMetric(metric, format);
  if (format === 'openmetrics') yield '# EOF\n';
}

/** The used part of prom-client's metrics; its declared types are wider and partly wrong. */
interface ProcessMetric {
  readonly name: string;
  readonly help: string;
  readonly type: FamilyType;
  readonly values: readonly {
    readonly value: number;
    readonly labels?: Readonly<Record<string, string | number | undefined>>;
    /** The sample's name if it differs from the metric's: `…_bucket`, `…_sum`, `…_count`. */
    readonly metricName?: string;
  }[];
}

/** Reads the values of a registry's metrics. */
export async function readRegistry(registry: Registry): Promise<readonly ProcessMetric[]> {
  const metrics = await registry.getMetricsAsJSON();
  return metrics.map((metric) => ({ ...metric, type: typeOf(String(metric.type)) }));
}

/** A metric as text, line by line; the first is the header. */
export function* renderMetric(metric: ProcessMetric, format: Format): Generator<string> {
  yield renderFamilyHeader(metric, format);
  for (const { value, labels = {}, metricName = metric.name } of metric.values) {
    const text = renderLabels(labels);
    yield `${metricName}${text === '' ? '' : `{${text}}`} ${formatValue(value)}\n`;
  }
}

// A label that was omitted is the empty label, which Prometheus treats as the same series.
function renderLabels(labels: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(labels)
    .filter(([, value]) => value !== undefined)
    .map(([label, value]) => `${label}="${escapeLabelValue(String(value))}"`)
    .join(',');
}

function typeOf(type: string): FamilyType {
  if (type === 'counter' || type === 'gauge' || type === 'histogram' || type === 'summary') return type;
  throw new Error(`prom-client reported the unknown metric type ${type}`);
}
