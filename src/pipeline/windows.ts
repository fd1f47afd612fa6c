import type { Window } from '../catalog/collector.ts';
import { addDays, type Day } from '../catalog/day.ts';

/** The most days that one request asks for. */
export const MAX_WINDOW_DAYS = 30;

/** The size that an answer should have at most, in bytes. */
export const TARGET_BYTES = 8 * 1024 * 1024;

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
