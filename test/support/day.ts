import { type Day, parseDay } from '../../src/catalog/day.ts';

/** A day by its date, as `2026-03-10`. */
export function dayNamed(text: string): Day {
  const day = parseDay(text);
  if (day === undefined) throw new Error(`not a day: ${text}`);
  return day;
}
