import type { Sample } from '../catalog/family.ts';
import { labelValue, MAX_LABEL_CHARACTERS } from '../catalog/label.ts';
import type { Clock } from '../work/clock.ts';

/** The two text formats: Prometheus text 0.0.4 and OpenMetrics 1.0.0. */
export type Format = 'text' | 'openmetrics';

type FamilyType = 'gauge' | 'counter' | 'histogram';

/** Nearly every value: printable ASCII that needs no escaping. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** A label value for use between quotes: normalized, with backslash and quote escaped. */
export function escapeLabelValue(value: string): string {
  if (value.length <= MAX_LABEL_CHARACTERS && PLAIN.test(value)) return value;
  return labelValue(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"');
}

/** A sample's value in a notation that both formats and Go accept. */
export function formatValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

/** The `# HELP` and `# TYPE` lines of a family; without `"` in the help, both formats have the same bytes of a gauge. */
export function renderFamilyHeader(
  { name, help, type }: { readonly name: string; readonly help: string; readonly type: FamilyType },
  format: Format = 'text',
): string {
  const escaped = help.toWellFormed().replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  if (format === 'text') return `# HELP ${name} ${escaped}\n# TYPE ${name} ${type}\n`;
  // OpenMetrics names a counter's family without the suffix and its sample with it.
  const family = type === 'counter' ? name.replace(/_total$/, '') : name;
  return `# HELP ${family} ${escaped.replaceAll('"', '\\"')}\n# TYPE ${family} ${type}\n`;
}

/** The properties of a family that the writer needs. */
export interface WrittenFamily {
  readonly name: string;
  /** Label names in the order in which they are written, after the common ones. */
  readonly labels: readonly string[];
}

/**
 * Creates the writer of the part of a family's lines that precedes the value; `common` labels (`org` first) are the same on all of
 * them.
 */
export function createLineStart(
  { name, labels }: WrittenFamily,
  common: Readonly<Record<string, string>>,
): (labels: Sample['labels']) => string {
  const shared = Object.entries(common)
    .map(([label, value]) => `${label}="${escapeLabelValue(value)}"`)
    .join(',');
  if (labels.length === 0) return () => (shared === '' ? `${name} ` : `${name}{${shared}} `);
  const openings = labels.map((label, index) => {
    const before = index > 0 ? '",' : `${name}{${shared}${shared === '' ? '' : ','}`;
    return { label, text: `${before}${label}="` };
  });
  return function write(of) {
    let line = '';
    for (const { label, text } of openings) line += text + escapeLabelValue(of[label] ?? '');
    return `${line}"} `;
  };
}

/** Writes one sample as one line, including the newline. */
type SampleWriter = (sample: Sample) => string;

/** Creates the writer of a family's lines. */
export function createSampleWriter(
  family: WrittenFamily,
  common: Readonly<Record<string, string>>,
): SampleWriter {
  const start = createLineStart(family, common);
  return ({ labels, value }) => `${start(labels)}${formatValue(value)}\n`;
}

/** One organization's samples of one family as text. */
export interface FamilyText {
  readonly family: string;
  /** Number of series; `maxSeries` plus one if it overflowed. */
  readonly series: number;
  /** Whether there were more than `maxSeries` samples: rendering stopped, and the text is empty. */
  readonly overflow: boolean;
  /** The lines in pieces of at most about 128 KiB, without the header. */
  readonly bytes: readonly Buffer[];
}

/**
 * Renders a family's samples of one organization in slices of a few milliseconds; undefined if there are none. Rendering stops
 * at the first sample beyond `maxSeries`, which is unlimited by default.
 */
export type RenderText = (
  family: WrittenFamily,
  org: string,
  samples: Iterable<Sample>,
  options?: { readonly maxSeries?: number },
) => Promise<FamilyText | undefined>;

// In UTF-16 units.
const PIECE = 128 * 1024;

/** Creates the renderer. */
export function createTextRenderer({ clock }: { readonly clock: Pick<Clock, 'slices'> }): RenderText {
  const { slices } = clock;
  return async (family, org, samples, { maxSeries = Number.POSITIVE_INFINITY } = {}) => {
    const { name } = family;
    const write = createSampleWriter(family, { org });
    const bytes: Buffer[] = [];
    let text = '';
    let series = 0;
    await slices.next();
    for (const sample of samples) {
      series += 1;
      if (series > maxSeries) return { family: name, series, overflow: true, bytes: [] };
      text += write(sample);
      if (text.length >= PIECE) {
        bytes.push(encode(text));
        text = '';
      }
      if (series % 16 === 0 && slices.over()) await slices.next();
    }
    if (series === 0) return undefined;
    if (text !== '') bytes.push(encode(text));
    return { family: name, series, overflow: false, bytes };
  };
}

/** A text as UTF-8 in memory of its own: in Buffer's pool, thousands of small texts would keep most of the pool alive. */
export function encode(text: string): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  buffer.write(text);
  return buffer;
}
