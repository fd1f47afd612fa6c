import type { Registry } from 'prom-client';
import type { Clock } from '../runtime/clock.ts';
import { createSlices, type Slices } from '../runtime/slices.ts';
import { createDeflater, type DeflatedChunk } from './deflated-chunk.ts';
import { escapeLabelValue, type FamilyType, type Format, formatValue, renderFamilyHeader } from './text.ts';

/** The process's own part of a page, which is its end. */
interface Live {
  /** Rendered at most once per second, and again for each published version. */
  chunk(format: Format, version: number): Promise<DeflatedChunk>;
  /** The chunk for a published version, unless it has to be rendered first. */
  ready(format: Format, version: number): DeflatedChunk | undefined;
}

const FRESH_MS = 1000;
// In UTF-16 units.
const CHUNK = 256 * 1024;

interface Rendering {
  readonly version: number;
  readonly at: number;
  readonly chunk: Promise<DeflatedChunk>;
  /** What `chunk` has resolved with. */
  rendered?: DeflatedChunk;
}

/** Creates the live part of a registry. */
export function createLive({ registry, clock }: { registry: Registry; clock: Clock }): Live {
  const slices = createSlices(clock);
  const renderings = new Map<Format, Rendering>();

  function fresh(format: Format, version: number): Rendering | undefined {
    const last = renderings.get(format);
    const isFresh = last?.version === version && clock.elapsed() - last.at < FRESH_MS;
    return isFresh ? last : undefined;
  }

  return {
    chunk(format, version) {
      const last = fresh(format, version);
      if (last !== undefined) return last.chunk;
      const chunk = render(registry, format, slices);
      const rendering: Rendering = { version, at: clock.elapsed(), chunk };
      renderings.set(format, rendering);
      chunk.then(
        (rendered) => {
          rendering.rendered = rendered;
        },
        // A failure concerns the scrapes that wait for it, not later ones.
        () => {
          if (renderings.get(format) === rendering) renderings.delete(format);
        },
      );
      return chunk;
    },
    ready: (format, version) => fresh(format, version)?.rendered,
  };
}

async function render(registry: Registry, format: Format, slices: Slices): Promise<DeflatedChunk> {
  const deflater = createDeflater();
  let text = '';
  let lines = 0;
  for await (const metric of readRegistry(registry)) {
    for (const line of renderMetric(metric, format)) {
      text += line;
      lines += 1;
      if (lines % 64 !== 0 || !slices.over()) continue;
      await slices.next();
      if (text.length < CHUNK) continue;
      await deflater.write(text);
      text = '';
    }
  }
  await deflater.write(format === 'openmetrics' ? `${text}# EOF\n` : text);
  return deflater.finish();
}

/** The used part of prom-client's `getMetricsAsJSON()`; its declared types are wider and partly wrong. */
interface LiveMetric {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly LiveValue[];
}

interface LiveValue {
  readonly value: number;
  readonly labels?: Readonly<Record<string, string | number | undefined>>;
  /** The sample's name if it differs from the metric's: `…_bucket`, `…_sum`, `…_count`. */
  readonly metricName?: string;
}

/**
 * Reads a registry metric by metric, unlike `getMetricsAsJSON()`, which would block the event loop for a tenth of a
 * second with a hundred organizations.
 */
export async function* readRegistry(registry: Registry): AsyncGenerator<LiveMetric> {
  for (const { name } of registry.getMetricsAsArray()) {
    const metric = await registry.getSingleMetric(name)?.get();
    // The declaration has a numeric enum, but the library uses names.
    if (metric !== undefined) yield { ...metric, type: String(metric.type) };
  }
}

/** A metric as text, line by line; the first is the header. */
export function* renderMetric(metric: LiveMetric, format: Format): Generator<string> {
  const type = typeOf(metric.type);
  const counter = type === 'counter' && format === 'openmetrics';
  // OpenMetrics names a counter's family without the suffix and its sample with it.
  const family = counter ? metric.name.replace(/_total$/, '') : metric.name;
  yield renderFamilyHeader({ name: family, help: metric.help, type }, format);
  yield* renderLines({ ...metric, name: counter ? `${family}_total` : family });
}

/** A metric's samples as text, line by line; `common` labels come first. */
export function* renderLines(
  { name, values }: LiveMetric,
  common: Readonly<Record<string, string>> = {},
): Generator<string> {
  const shared = renderLabels(common);
  for (const { value, labels, metricName = name } of values) {
    const text = labels === undefined ? shared : renderLabels(labels, shared);
    yield `${metricName}${text === '' ? '' : `{${text}}`} ${formatValue(value)}\n`;
  }
}

// A label that was omitted is the empty label, which Prometheus treats as the same series.
function renderLabels(labels: Readonly<Record<string, string | number | undefined>>, before = ''): string {
  let text = before;
  for (const label in labels) {
    const value = labels[label];
    if (value === undefined) continue;
    text += `${text === '' ? '' : ','}${label}="${escapeLabelValue(String(value))}"`;
  }
  return text;
}

function typeOf(type: string): FamilyType {
  if (type === 'counter' || type === 'gauge' || type === 'histogram' || type === 'summary') return type;
  throw new Error(`prom-client reported the unknown metric type ${type}`);
}
