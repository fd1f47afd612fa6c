/** How often a named thing was used. */
export interface Count {
  readonly name: string;
  readonly count: number;
}

/**
 * Merges the entries that have the same key, and sorts by key: a server may list a breakdown in another order
 * each time, which is not to look like a revision of the day.
 */
export function merged<Entry>(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string,
  merge: (one: Entry, other: Entry) => Entry,
): readonly Entry[] {
  const byKey = new Map<string, Entry>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const before = byKey.get(key);
    byKey.set(key, before === undefined ? entry : merge(before, entry));
  }
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry);
}

/** What the smallest parts of a breakdown are summed into, as they are on the page. */
export const OTHER = 'other';

/** The most parts of a breakdown that are kept of a day: what the platform makes up must not fill the memory. */
export const MAX_PARTS = 5_000;

/**
 * The entries of a breakdown, each key once and sorted by it; over 5 000 the smallest are merged into the one that
 * `restOf` makes of each.
 */
export function breakdown<Entry>(
  entries: readonly Entry[],
  parts: {
    keyOf(entry: Entry): string;
    merge(one: Entry, other: Entry): Entry;
    weightOf(entry: Entry): number;
    restOf(entry: Entry): Entry;
  },
): readonly Entry[] {
  const { keyOf, merge, weightOf, restOf } = parts;
  const all = merged(entries, keyOf, merge);
  if (all.length <= MAX_PARTS) return all;
  const ranked = all.toSorted((one, other) => weightOf(other) - weightOf(one));
  return merged(
    [...ranked.slice(0, MAX_PARTS - 1), ...ranked.slice(MAX_PARTS - 1).map(restOf)],
    keyOf,
    merge,
  );
}

/** Counts with each name once. */
export function summedCounts(counts: readonly Count[]): readonly Count[] {
  return breakdown(counts, {
    keyOf: ({ name }) => name,
    merge: (one, other) => ({ name: one.name, count: plus(one.count, other.count) }),
    weightOf: ({ count }) => count,
    restOf: ({ count }) => ({ name: OTHER, count }),
  });
}

/** The sum of two amounts; never infinite, which no store and no total would survive. */
export function plus(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_VALUE);
}

/** The sum of amounts of which either may be unknown; unknown where both are. */
export function plusKnown(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined) return other;
  return plus(one, other ?? 0);
}

/** The sum of the amounts, the same in whatever order they come. */
export function sumOf(amounts: readonly number[]): number {
  return amounts.toSorted((one, other) => one - other).reduce(plus, 0);
}

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
