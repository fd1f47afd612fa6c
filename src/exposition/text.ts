import { crc32 } from 'node:zlib';

/** The two text formats: Prometheus text 0.0.4 and OpenMetrics 1.0.0. */
export type Format = 'text' | 'openmetrics';

export type FamilyType = 'gauge' | 'counter' | 'histogram' | 'summary' | 'unknown';

const LABEL_LIMIT = 256;
const DIGEST_LENGTH = 9;
// Any surrogate takes the slow way, also one of a proper pair: the common value is plain ASCII.
const SUSPECT = /[\\"\n\ud800-\udfff]/;

/**
 * The label value that leaves the process: at most 256 characters (code points) of well-formed Unicode. A value
 * that is longer or holds a lone surrogate is cut or repaired, and ends with `~` and eight hexadecimal digits of
 * the original's checksum, so that two values that differ stay two series.
 */
export function fitLabelValue(value: string): string {
  const fits = value.length <= LABEL_LIMIT && value.isWellFormed();
  if (fits) return value;
  const start = Array.from(value.slice(0, 2 * LABEL_LIMIT + 2).toWellFormed());
  if (start.length <= LABEL_LIMIT && value.isWellFormed()) return value;
  const digest = crc32(Buffer.from(value, 'utf16le')).toString(16).padStart(8, '0');
  return `${start.slice(0, LABEL_LIMIT - DIGEST_LENGTH).join('')}~${digest}`;
}

/** A label value as it stands between quotes: fitted, with backslash, quote and newline escaped. */
export function escapeLabelValue(value: string): string {
  if (value.length <= LABEL_LIMIT && !SUSPECT.test(value)) return value;
  return fitLabelValue(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** A sample's value in the one spelling that both formats and Go read. */
export function formatValue(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

/** The `# HELP` and `# TYPE` lines of a family; without `"` in the help, both formats get the same bytes. */
export function renderFamilyHeader(
  family: { readonly name: string; readonly help: string; readonly type: FamilyType },
  format: Format = 'text',
): string {
  const escaped = family.help.toWellFormed().replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  const help = format === 'openmetrics' ? escaped.replaceAll('"', '\\"') : escaped;
  return `# HELP ${family.name} ${help}\n# TYPE ${family.name} ${family.type}\n`;
}
