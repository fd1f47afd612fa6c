import { type Day, dayOf, daysBetween, type Instant, startOf } from '../catalog/day.ts';
import type { Cost } from '../catalog/settings.ts';
import type { FailureReason } from '../text/errors.ts';
import type { CollectorState } from './status.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A duration without its sign, rounded to seconds, minutes, hours (below two days) or days, such as `36 hours`. */
export function durationWords(milliseconds: number): string {
  const length = Math.abs(milliseconds);
  if (length < MINUTE) return count(Math.round(length / SECOND), 'second');
  if (length < HOUR) return count(Math.round(length / MINUTE), 'minute');
  if (length < 2 * DAY) return count(Math.round(length / HOUR), 'hour');
  return count(Math.round(length / DAY), 'day');
}

/** An instant relative to now: `just now`, `3 minutes ago`, `in 12 minutes`. */
export function momentWords(instant: Instant, now: Instant): string {
  if (Math.abs(instant - now) < SECOND) return instant > now ? 'in a moment' : 'just now';
  const words = durationWords(instant - now);
  return instant > now ? `in ${words}` : `${words} ago`;
}

// Made once, because making a formatter takes longer than its use.
const weekday = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

/** A day as people write it, such as `Tue 24 Nov`. */
export function dayWords(day: Day): string {
  return weekday.format(startOf(day)).replaceAll(',', '');
}

const weekdayName = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' });

/** The weekday of a day, such as `Tuesday`. */
export function weekdayWord(day: Day): string {
  return weekdayName.format(startOf(day));
}

/** The age of a day: `today`, `yesterday`, `3 days old`. */
export function dayAgeWords(day: Day, now: Instant): string {
  const age = daysBetween(day, dayOf(now));
  if (age <= 0) return 'today';
  return age === 1 ? 'yesterday' : `${age} days old`;
}

/** A number and what it counts: `1 series`, `12 collectors`. */
export function count(number: number, noun: string, plural = noun.endsWith('s') ? noun : `${noun}s`): string {
  return `${groupDigits(number)} ${number === 1 ? noun : plural}`;
}

// Made once: `toLocaleString` creates a formatter for each number, and an index has thousands.
const grouped = new Intl.NumberFormat('en-US');
const percentage = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });
/** Up to this number all digits are easy to read. */
const READABLE = 100_000;

/** A number in at most three digits and a unit, such as `89.3 M`; smaller ones with all digits. */
export function readable(number: number): string {
  if (Math.abs(number) < READABLE) return groupDigits(Math.round(number));
  return compact.format(number).replace('K', 'k').replace(/[a-z]/i, ' $&');
}

/** A mean with at most one digit after the point. */
export function tenths(mean: number): string {
  return mean < 1_000 ? mean.toLocaleString('en-US', { maximumFractionDigits: 1 }) : readable(mean);
}

/** A number with commas between thousands. */
export function groupDigits(number: number): string {
  return grouped.format(number);
}

/** A ratio as a percentage, such as `65.5%`. */
export function percent(ratio: number): string {
  return `${percentage.format(ratio * 100)}%`;
}

/** An amount of money with as many decimals as its currency has; one below the smallest of them with two digits. */
export function amountText({ currency, amount }: Cost): string {
  const decimals = decimalsOf(currency);
  const isTiny = amount !== 0 && Math.abs(amount) < 0.5 / 10 ** decimals;
  return amount.toLocaleString(
    'en-US',
    isTiny
      ? { maximumSignificantDigits: 2 }
      : { minimumFractionDigits: decimals, maximumFractionDigits: decimals },
  );
}

/** Two for what is not the code of a currency. */
function decimalsOf(currency: string): number {
  if (!/^[a-z]{3}$/i.test(currency)) return 2;
  return (
    new Intl.NumberFormat('en-US', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ??
    2
  );
}

export const stateWords: Readonly<Record<CollectorState, { word: string; mark: string }>> = {
  ok: { word: 'OK', mark: '✓' },
  failing: { word: 'Failing', mark: '✕' },
  running: { word: 'Running', mark: '↻' },
  waiting: { word: 'Waiting', mark: '…' },
};

export const reasonWords: Readonly<Record<FailureReason, string>> = {
  auth: 'The platform rejects the API key',
  role: 'The API key may not read this endpoint',
  throttled: 'The platform throttles requests',
  server: 'The platform reports a server error',
  network: 'The platform cannot be reached',
  timeout: 'The platform did not answer in time',
  schema: 'The platform’s answer has an unexpected format',
  limit: 'A limit was exceeded',
  organization: 'The answer belongs to another organization, or its organization could not be confirmed',
  store: 'The exporter’s store cannot be used',
};
