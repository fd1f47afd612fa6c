/**
 * The sum of amounts of at least 0 with what each step rounds away added at the end (Neumaier): ten times 0.1 is
 * 1, and the order does not matter. Never infinite, which no total would survive.
 */
export function preciseSum(amounts: readonly number[]): number {
  let sum = 0;
  let lost = 0;
  for (const amount of amounts.toSorted((one, other) => one - other)) {
    const next = sum + amount;
    if (next === Number.POSITIVE_INFINITY) return Number.MAX_VALUE;
    lost += sum >= amount ? sum - next + amount : amount - next + sum;
    sum = next;
  }
  return Math.min(sum + lost, Number.MAX_VALUE);
}
