// Parsers of single values, shared by flags, environment variables and files.

/** A text for an error message: in quotes, without control characters, at most 60 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

const SIZES: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1_048_576, GiB: 1_073_741_824 };

/** Parses a size such as `64MiB`, `512KiB` or a number of bytes; undefined if it is invalid. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+)(B|KiB|MiB|GiB)?$/.exec(text);
  if (match === null) return undefined;
  const bytes = Number(match[1]) * (SIZES[match[2] ?? 'B'] ?? 1);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}

const UNITS = [
  ['y', 31_536_000_000],
  ['w', 604_800_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;
const MS = new Map<string, number>(UNITS);

/** What a JSON Schema says about a duration. */
export const durationPattern = `^(0|${UNITS.map(([unit]) => `([0-9]+${unit})?`).join('')})$`;
const DURATION = new RegExp(durationPattern);

/**
 * Parses a duration in Prometheus' format (`30s`, `1h30m`, `7d`, `0`) into milliseconds; undefined if it is invalid.
 */
export function parseDuration(text: string): number | undefined {
  if (text === '' || !DURATION.test(text)) return undefined;
  const parts = text.matchAll(/(\d+)([a-z]+)/g);
  const total = parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (MS.get(unit) ?? 0), 0);
  return Number.isSafeInteger(total) ? total : undefined;
}

/** Formats milliseconds in Prometheus' format, in days and smaller units: `parseDuration` returns the same number. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0';
  let rest = ms;
  let text = '';
  for (const [unit, size] of UNITS.slice(2)) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text;
}

/** The path of a URL in a configuration; the chart's schema has it, too. */
export const pathPattern = '^(/[A-Za-z0-9._~-]+)+$';

/** The service's own routes besides the metrics. */
export const ownPathPattern = '^/($|status$|probe$|-(/|$)|hooks(/|$))';

/** A host name in lower case, apart from its length; the chart's schema has it, too. */
export const hostPattern = '^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$';

/** Letters and digits of any script: the name is a label value, and is used in `/probe?target=`. */
// biome-ignore lint/security/noSecrets: a pattern
export const orgNamePattern = '^[\\p{L}\\p{N}]([\\p{L}\\p{N} ._-]{0,62}[\\p{L}\\p{N}])?$';

const ORG_NAME = new RegExp(orgNamePattern, 'u');

/** Describes what `isOrgName` accepts. */
export const orgNameRule =
  'a name of 1 to 64 letters and digits, with dots, dashes, underscores or spaces between them';

/** Whether a text is a valid name of an organization. */
export function isOrgName(text: string): boolean {
  return ORG_NAME.test(text) && text.length <= 64;
}
