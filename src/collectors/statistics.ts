import { preciseSum } from './counts.ts';

/** Scales the median absolute deviation of normally distributed values to their standard deviation. */
export const DEVIATION_SCALE = 1.4826;

/** The median of at least one amount: for an even number, the mean of the middle two. */
export function medianOf(amounts: readonly number[]): number {
  const sorted = amounts.toSorted((one, other) => one - other);
  const high = sorted[sorted.length >> 1] ?? 0;
  const low = sorted[(sorted.length - 1) >> 1] ?? high;
  return low + (high - low) / 2;
}

/** A figure of each item; undefined if any item has none, so that sums are never partial. */
export function ofEach<Item, Figure>(
  items: readonly Item[],
  figureOf: (item: Item) => Figure | undefined,
): readonly Figure[] | undefined {
  const figures: Figure[] = [];
  for (const item of items) {
    const figure = figureOf(item);
    if (figure === undefined) return undefined;
    figures.push(figure);
  }
  return figures;
}

/** The sum of a figure of each item; undefined if any item has none. */
export function sumOfEach<Item>(
  items: readonly Item[],
  figureOf: (item: Item) => number | undefined,
): number | undefined {
  const figures = ofEach(items, figureOf);
  return figures && preciseSum(figures);
}

/** The sum of two amounts; undefined if one of them is unknown. */
export function sumOfBoth(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? undefined : one + other;
}

/** The difference of two amounts; undefined if one of them is unknown, or if it would be negative. */
export function differenceOfBoth(whole: number | undefined, part: number | undefined): number | undefined {
  return whole === undefined || part === undefined || part > whole ? undefined : whole - part;
}

/** The quotient of two amounts; undefined if one of them is unknown or the divisor is 0. */
export function quotientOf(amount: number | undefined, divisor: number | undefined): number | undefined {
  if (amount === undefined || divisor === undefined || divisor === 0) return undefined;
  return Math.min(amount / divisor, Number.MAX_VALUE);
}
