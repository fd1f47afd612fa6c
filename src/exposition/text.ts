import type { Sample } from '../catalog/family.ts';
import { labelValue, MAX_LABEL_CHARACTERS } from '../catalog/label.ts';

/** The two text formats: Prometheus text 0.0.4 and OpenMetrics 1.0.0. */
export type Format = 'text' | 'openmetrics';

export type FamilyType = 'gauge' | 'counter' | 'histogram' | 'summary' | 'unknown';

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

/** The `# HELP` and `# TYPE` lines of a family; without `"` in the help, both formats have the same bytes. */
export function renderFamilyHeader(
  family: { readonly name: string; readonly help: string; readonly type: FamilyType },
  format: Format = 'text',
): string {
  const escaped = family.help.toWellFormed().replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  const help = format === 'openmetrics' ? escaped.replaceAll('"', '\\"') : escaped;
  return `# HELP ${family.name} ${help}\n# TYPE ${family.name} ${family.type}\n`;
}

/** The properties of a family that the writer needs. */
export interface WrittenFamily {
  readonly name: string;
  /** Label names in the order in which they are written, after the common ones. */
  readonly labels: readonly string[];
}

/** Writes one sample as one line, including the newline; `timestamp` (Unix seconds) is only for backfilled files. */
export type SampleWriter = (sample: Sample, timestamp?: number) => string;

/** Creates the writer of a family's lines; `common` labels (`org` first) are the same on all of them. */
export function createSampleWriter(
  family: WrittenFamily,
  common: Readonly<Record<string, string>>,
): SampleWriter {
  const shared = Object.entries(common)
    .map(([label, value]) => `${label}="${escapeLabelValue(value)}"`)
    .join(',');
  const openings = family.labels.map((label, index) => {
    const before = index > 0 ? '",' : `${family.name}{${shared}${shared === '' ? '' : ','}`;
    return { label, text: `${before}${label}="` };
  });
  const bare = shared === '' ? `${family.name} ` : `${family.name}{${shared}} `;
  const closing = '"} ';

  return function write({ labels, value }, timestamp) {
    let line = '';
    for (const { label, text } of openings) line += text + escapeLabelValue(labels[label] ?? '');
    line = line === '' ? bare : line + closing;
    line += formatValue(value);
    return timestamp === undefined ? `${line}\n` : `${line} ${timestamp}\n`;
  };
}
