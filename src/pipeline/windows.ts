import type { Window } from '../catalog/collector.ts';
import { addDays, type Day } from '../catalog/day.ts';

/** The most days that one request asks for. */
export const MAX_WINDOW_DAYS = 30;

/** The size that an answer should have at most, in bytes. */
export const TARGET_BYTES = 8 * 1024 * 1024;

/** How much larger a window may be than the one before it. */
const GROWTH = 8;

/** The days from `from` to `to`, newest first; none where `to` lies before `from`. */
export function daysDescending(from: Day, to: Day): Day[] {
  const days: Day[] = [];
  for (let day = to; day >= from; day = addDays(day, -1)) days.push(day);
  return days;
}

/** The newest window of at most `size` days that holds only wanted days; `wanted` is newest first. */
export function nextWindow(wanted: readonly Day[], size: number): Window | undefined {
  const [to] = wanted;
  if (to === undefined) return undefined;
  let from = to;
  for (let index = 1; index < Math.min(size, wanted.length); index++) {
    const day = wanted[index];
    if (day !== addDays(from, -1)) break;
    from = day;
  }
  return { from, to };
}

/** Chooses how many days to ask for at once from what days were seen to weigh. */
export interface WindowSizer {
  readonly days: number;
  /** Learns from an answer: its days that had a row, and its size in bytes. */
  answered(rows: number, bytes: number): void;
  /** Learns that a window of this many days was too much. */
  tooLarge(days: number): void;
}

/** A sizer that starts at one day. */
export function createWindowSizer(): WindowSizer {
  let days = 1;
  let heaviestDay = 0;
  let ceiling = MAX_WINDOW_DAYS;
  return {
    get days() {
      return days;
    },
    answered(rows, bytes) {
      // Days without rows weigh nothing that could be learnt; asking for ever more of them finds one soon.
      if (rows > 0) heaviestDay = Math.max(heaviestDay, bytes / rows);
      const fitting = heaviestDay === 0 ? ceiling : Math.max(1, Math.floor(TARGET_BYTES / heaviestDay));
      days = Math.min(ceiling, fitting, days * GROWTH);
    },
    tooLarge(tried) {
      ceiling = Math.max(1, Math.floor(tried / 2));
      days = Math.min(days, ceiling);
    },
  };
}
