import { labelValue } from '../catalog/label.ts';
import { byName } from '../catalog/object.ts';

/** A named count; null if it or a part of it was unusable. */
export interface Count {
  readonly name: string;
  readonly count: number | null;
}

/**
 * Merges entries with the same key and sorts by key: a server may list a breakdown in another order each time, which
 * must not count as a revision of the day.
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
  return [...byKey].sort(byName).map(([, entry]) => entry);
}

/** The label value into which the smallest parts of a breakdown are folded. */
export const OTHER = 'other';

/** The tier of a model that was sent without one. */
export const UNKNOWN_TIER = 'unknown';

/** A count whose name is a valid label value. An unusable name makes the rest unknown: the count may belong to any name. */
export function namedCount(name: string | null, count: number | null): Count {
  return name === null ? { name: OTHER, count: null } : { name: labelValue(name), count };
}

/** Maximum number of parts of a day's breakdown, which bounds memory whatever the platform sends. */
export const MAX_PARTS = 5_000;

/**
 * The entries of a breakdown, merged and sorted by key. Beyond 5 000, the smallest are mapped by `restOf` and merged.
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

/** Sums the counts of each name. */
export function summedCounts(counts: readonly Count[]): readonly Count[] {
  return breakdown(counts, {
    keyOf: ({ name }) => name,
    merge: (one, other) => ({ name: one.name, count: plusUsable(one.count, other.count) }),
    weightOf: ({ count }) => count ?? 0,
    restOf: ({ count }) => ({ name: OTHER, count }),
  });
}

/** The sum of two amounts; never infinite, because JSON and further sums cannot represent that. */
export function plus(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_VALUE);
}

/** The sum of two amounts; null, for unusable, if one of them is. */
export function plusUsable(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : plus(one, other);
}

/** The sum of two amounts; an unknown one counts as 0, two unknown ones are unknown. */
export function plusKnown(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined) return other;
  return plus(one, other ?? 0);
}

/** The sum of two sent amounts: null (unusable) if one of them is; undefined if neither was sent. */
export function plusSent(
  one: number | null | undefined,
  other: number | null | undefined,
): number | null | undefined {
  return one === null || other === null ? null : plusKnown(one, other);
}

/** The sum of the amounts, independent of their order; undefined if one of them is unusable. */
export function sumOfUsable(amounts: readonly (number | null)[]): number | undefined {
  const usable = amounts.filter((amount) => amount !== null);
  if (usable.length < amounts.length) return undefined;
  return usable.sort((one, other) => one - other).reduce(plus, 0);
}

/**
 * The sum of amounts with compensated rounding (Neumaier): ten times 0.1 is 1, in any order. Never infinite. A decimal is read with an
 * error of at most 2^-53 of it, and the sum adds as much: up to 10^13 of a currency, amounts of money add up to the hundredth.
 */
export function preciseSum(amounts: readonly number[]): number {
  let sum = 0;
  let lost = 0;
  for (const amount of amounts.toSorted((one, other) => one - other)) {
    const next = sum + amount;
    if (next === Number.POSITIVE_INFINITY) return Number.MAX_VALUE;
    lost += Math.abs(sum) >= Math.abs(amount) ? sum - next + amount : amount - next + sum;
    sum = next;
  }
  return Math.min(sum + lost, Number.MAX_VALUE);
}

/** The `preciseSum` of the amounts; undefined if one of them is unusable. */
export function preciseSumOfUsable(amounts: readonly (number | null)[]): number | undefined {
  const usable = amounts.filter((amount) => amount !== null);
  return usable.length < amounts.length ? undefined : preciseSum(usable);
}
