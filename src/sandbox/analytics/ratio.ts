/** A share or an average with four decimals; 0 of nothing. */
export function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : round(part / whole);
}

export function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
