/** A UTC day as the number of days since 1970-01-01. */
export type Day = number;

export const dayMs = 86_400_000;
export const hourMs = 3_600_000;

/** The first day with data, 2026-01-14. */
export const firstDay: Day = Date.UTC(2026, 0, 14) / dayMs;

/** The UTC day of an instant in milliseconds. */
export function dayAt(instant: number): Day {
  return Math.floor(instant / dayMs);
}

/** The day as `YYYY-MM-DD`. */
export function formatDay(day: Day): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** Parses `YYYY-MM-DD`; returns what is wrong with an invalid text. */
export function parseDay(text: string): Day | 'format' | 'calendar' {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return 'format';
  const instant = Date.parse(`${text}T00:00:00Z`);
  // Some engines roll 30 February over into March: only a day that formats to the same text is valid.
  if (Number.isNaN(instant) || formatDay(instant / dayMs) !== text) return 'calendar';
  return instant / dayMs;
}

/** The days from the first to the last, of which there are none if that is earlier. */
export function daysFrom(first: Day, last: Day): Day[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}

/** 0 is Sunday. */
export function weekday(day: Day): number {
  return (day + 4) % 7;
}
