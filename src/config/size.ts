const factors: Readonly<Record<string, number>> = { B: 1, KiB: 1024, MiB: 1_048_576, GiB: 1_073_741_824 };

/** Reads a size such as `64MiB`, `512KiB` or a bare number of bytes; undefined where it is none. */
export function parseSize(text: string): number | undefined {
  const match = /^(\d+)(B|KiB|MiB|GiB)?$/.exec(text);
  if (match === null) return undefined;
  const bytes = Number(match[1]) * (factors[match[2] ?? 'B'] ?? 1);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
