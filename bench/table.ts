import type { Spread } from './statistics.ts';

/** A Markdown table; every column but the first is right-aligned. */
export function renderTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = heads.map((_, index) => (index === 0 ? '---' : '--:'));
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A whole number with grouped digits, such as `100 000`. */
export function grouped(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ' ');
}

/** At least three significant digits, so that small and large figures fit in one column. */
export function shown(value: number): string {
  if (value >= 100) return grouped(value);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** A median with its spread, such as `0.95 (0.93–0.97)`; without the spread if there was one round. */
export function shownSpread({ median, lower, upper }: Spread): string {
  return lower === upper ? shown(median) : `${shown(median)} (${shown(lower)}–${shown(upper)})`;
}
