/** A Markdown table; every column but the first is set to the right. */
export function renderTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = heads.map((_, index) => (index === 0 ? '---' : '--:'));
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** A whole number with thin groups, such as `100 000`. */
export function grouped(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ' ');
}

/** Three significant digits at least, so that small and large figures can stand in one column. */
export function shown(value: number): string {
  if (value >= 100) return grouped(value);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

export function mebibytes(bytes: number): string {
  return shown(bytes / 2 ** 20);
}
