const units = [
  ['y', 31_536_000_000],
  ['w', 604_800_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

const shape = /^(?:(\d+)y)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;

/** Reads a duration in Prometheus' form (`30s`, `1h30m`, `7d`, `0`) into milliseconds; undefined where it is none. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  const match = text === '' ? null : shape.exec(text);
  if (match === null) return undefined;
  const total = units.reduce((sum, [, ms], index) => sum + Number(match[index + 1] ?? 0) * ms, 0);
  return Number.isSafeInteger(total) ? total : undefined;
}

/** Writes milliseconds in Prometheus' form, in days and smaller units: `parseDuration` reads the same number back. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0';
  let rest = ms;
  let text = '';
  for (const [unit, size] of units.slice(2)) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text;
}
