/** A UTC calendar day as `YYYY-MM-DD`. */
export type Day = string & { readonly brand: 'Day' };

/** Milliseconds since the epoch. */
export type Instant = number;

/** The length of a day in UTC, in milliseconds. */
export const DAY_MS = 86_400_000;
/** Days in an era of 400 years; and the start of era 0, 1 March of the year 0, in days since 1970. */
const ERA_DAYS = 146_097;
const ERA_START = -719_468;
const YEAR_0 = -719_528;
const YEAR_10000 = 2_932_897;
/** The months and days of a month as text. */
const TWO_DIGITS: readonly string[] = Array.from({ length: 32 }, (_, value) =>
  String(value).padStart(2, '0'),
);
const ZERO = 48;
const SHAPE = /^\d{4}-\d{2}-\d{2}$/;
/** 1 January 2020, in days since 1970, and the days from then on, up to 2040: those that occur in practice. */
const FIRST_USUAL = 18_262;
const USUAL_DAYS: readonly Day[] = Array.from({ length: 7671 }, (_, index) => textOf(FIRST_USUAL + index));

/**
 * The UTC day that contains an instant. A usual day is always the same string: histories of many organizations contain
 * each of them thousands of times.
 */
export function dayOf(instant: Instant): Day {
  const days = Math.floor(instant / DAY_MS);
  const usual = USUAL_DAYS[days - FIRST_USUAL];
  if (usual !== undefined) return usual;
  // `Date` handles years outside four digits and throws on invalid instants.
  return days >= YEAR_0 && days < YEAR_10000
    ? textOf(days)
    : (new Date(instant).toISOString().slice(0, 10) as Day);
}

/** A day, from days since 1970. Years start in March, in eras of 400 years, so that leap days come last. */
function textOf(days: number): Day {
  const shifted = days - ERA_START;
  const era = Math.floor(shifted / ERA_DAYS);
  const dayOfEra = shifted - era * ERA_DAYS;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / (ERA_DAYS - 1))) /
      365,
  );
  const dayOfYear = dayOfEra - daysOfYears(yearOfEra);
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0);
  return `${String(year).padStart(4, '0')}-${TWO_DIGITS[month]}-${TWO_DIGITS[day]}` as Day;
}

/** The first instant of a day, in milliseconds. */
export function startOf(day: Day): Instant {
  const month = twoDigits(day, 5);
  const year = twoDigits(day, 0) * 100 + twoDigits(day, 2) - (month <= 2 ? 1 : 0);
  const era = Math.floor(year / 400);
  const yearOfEra = year - era * 400;
  const fromMarch = month > 2 ? month - 3 : month + 9;
  const dayOfYear = Math.floor((153 * fromMarch + 2) / 5) + twoDigits(day, 8) - 1;
  return (era * ERA_DAYS + daysOfYears(yearOfEra) + dayOfYear + ERA_START) * DAY_MS;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO;
}

/** Days in the first `years` years of an era. */
function daysOfYears(years: number): number {
  return 365 * years + Math.floor(years / 4) - Math.floor(years / 100);
}

/** The first instant after a day, in milliseconds. */
export function endOf(day: Day): Instant {
  return startOf(day) + DAY_MS;
}

/** The day `count` days later (earlier where negative). */
export function addDays(day: Day, count: number): Day {
  return dayOf(startOf(day) + count * DAY_MS);
}

/** Number of days from `from` to `to`; negative where `to` is earlier. */
export function daysBetween(from: Day, to: Day): number {
  return Math.round((startOf(to) - startOf(from)) / DAY_MS);
}

/** The weekday of a day, from 0 for Monday to 6 for Sunday. */
export function weekdayOf(day: Day): number {
  // 1 January 1970 was a Thursday.
  return (((startOf(day) / DAY_MS + 3) % 7) + 7) % 7;
}

/** Parses `YYYY-MM-DD`; undefined if the text is not an existing calendar day. */
export function parseDay(text: string): Day | undefined {
  if (!SHAPE.test(text)) return undefined;
  // A day that does not exist is counted into the next month or year.
  const day = dayOf(startOf(text as Day));
  return day === text ? day : undefined;
}

/** The earlier one of two days. */
export function earlier(one: Day, other: Day): Day {
  return other < one ? other : one;
}

/** The later one of two days. */
export function later(one: Day, other: Day): Day {
  return other > one ? other : one;
}

/** The last complete UTC day at an instant. */
export function yesterdayOf(instant: Instant): Day {
  return addDays(dayOf(instant), -1);
}

/**
 * The first day of a day's month, which is the calendar month, or begins on the day of that number. A calendar month without
 * that day has the beginning on its last day.
 */
export function firstOfMonth(day: Day, starts = 1): Day {
  const first = `${day.slice(0, 8)}01` as Day;
  if (starts === 1) return first;
  const begun = beginningIn(first, starts);
  return begun <= day ? begun : beginningIn(firstOfMonth(addDays(first, -1)), starts);
}

/** The beginning of a month in the calendar month of a first day. */
function beginningIn(first: Day, starts: number): Day {
  return earlier(addDays(first, starts - 1), lastOfMonth(first));
}

/** The last day of a day's month, which is the calendar month, or begins on the day of that number. */
export function lastOfMonth(day: Day, starts = 1): Day {
  // The first of a month plus 31 days is always in the next month, since none is shorter than 28 days.
  return addDays(firstOfMonth(addDays(firstOfMonth(day, starts), 31), starts), -1);
}

/** The days from one to another, both inclusive; empty if `to` is before `from`. */
export function daysFrom(from: Day, to: Day): readonly Day[] {
  const days: Day[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

/** The days of the month up to a day, that day included. */
export function monthSoFar(day: Day, starts = 1): readonly Day[] {
  return daysFrom(firstOfMonth(day, starts), day);
}

/** The days of the month before, up to the same day of it, or all of them if it is shorter. */
export function monthBeforeSoFar(day: Day, starts = 1): readonly Day[] {
  const last = addDays(firstOfMonth(day, starts), -1);
  return monthSoFar(last, starts).slice(0, monthSoFar(day, starts).length);
}

/** The days of the month that follow a day. */
export function restOfMonth(day: Day, starts = 1): readonly Day[] {
  return daysFrom(addDays(day, 1), lastOfMonth(day, starts));
}

/** A longer step of a clock, in milliseconds, is more likely a wrong clock than a long absence. */
const MAX_STEP_MS = 31 * DAY_MS;

/**
 * Since when a step forward of a clock, in milliseconds, is in doubt at `now`; undefined if it is believed: a long one only when it
 * has been seen for a day, because what is removed for its age does not come back. `before` is since when it was in doubt.
 */
export function doubtedSince(step: number, before: Instant | undefined, now: Instant): Instant | undefined {
  if (step <= MAX_STEP_MS) return undefined;
  // A clock that has gone back since was wrong at one of the two times.
  const since = Math.min(before ?? now, now);
  return now - since >= DAY_MS ? undefined : since;
}
