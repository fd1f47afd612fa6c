import { addDays, type Day } from '../../catalog/day.ts';
import type { View } from '../../catalog/view.ts';
import { creditsOn } from './credits.ts';

const WEEKS = 8;
/** Under so many known days nothing is expected. */
const LEAST_DAYS = 3;
/** Makes the median absolute deviation of normally distributed values their standard deviation. */
const DEVIATION_SCALE = 1.4826;

/** What a day's credits are usually like. */
export interface Expectation {
  readonly credits: number;
  /** Above this, a day is out of the ordinary. */
  readonly upper: number;
}

/** What the same weekday of the eight weeks before says of a day; undefined where fewer than three are known. */
export function expectationOf(view: View, day: Day): Expectation | undefined {
  const known: number[] = [];
  for (let week = 1; week <= WEEKS; week++) {
    const credits = creditsOn(view, addDays(day, -7 * week));
    if (credits !== undefined) known.push(credits);
  }
  if (known.length < LEAST_DAYS) return undefined;
  const credits = medianOf(known);
  const deviation = medianOf(known.map((value) => Math.abs(value - credits)));
  const upper = Math.max(credits + 3 * DEVIATION_SCALE * deviation, 2 * credits);
  return { credits, upper: Math.min(upper, Number.MAX_VALUE) };
}

/** The median of at least one amount: the mean of the middle two where there is an even number of them. */
function medianOf(amounts: readonly number[]): number {
  const sorted = amounts.toSorted((one, other) => one - other);
  const high = sorted[sorted.length >> 1] ?? 0;
  const low = sorted[(sorted.length - 1) >> 1] ?? high;
  return low + (high - low) / 2;
}
