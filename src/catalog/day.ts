/** A UTC calendar day as `YYYY-MM-DD`. */
export type Day = string & { readonly brand: 'Day' };

/** Milliseconds since the epoch. */
export type Instant = number;

const DAY_MS = 86_400_000;
const SHAPE = /^\d{4}-\d{2}-\d{2}$/;

/** The UTC day that contains an instant. */
export function dayOf(instant: Instant): Day {
  return new Date(instant).toISOString().slice(0, 10) as Day;
}

/** The first instant of a day, in milliseconds. */
export function startOf(day: Day): Instant {
  return Date.parse(`${day}T00:00:00Z`);
}

/** The first instant after a day, in milliseconds. */
export function endOf(day: Day): Instant {
  return startOf(day) + DAY_MS;
}

/** The day `count` days later (earlier where negative). */
export function addDays(day: Day, count: number): Day {
  return dayOf(startOf(day) + count * DAY_MS);
}

/** How many days `to` lies after `from`; negative where it lies before. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round((startOf(to) - startOf(from)) / DAY_MS);
}

/** The day that a text names, or undefined where it is no existing calendar day. */
export function parseDay(text: string): Day | undefined {
  if (!SHAPE.test(text)) return undefined;
  const at = Date.parse(`${text}T00:00:00Z`);
  if (Number.isNaN(at) || dayOf(at) !== text) return undefined;
  return text as Day;
}

/** The newest day that is over at an instant: yesterday, in UTC. */
export function yesterdayOf(instant: Instant): Day {
  return addDays(dayOf(instant), -1);
}
