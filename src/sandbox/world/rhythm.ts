import { type Day, firstDay, formatDay, weekday } from '../calendar.ts';
import { mix, unit } from '../random.ts';

/** The characteristics of one organization's days. */
export interface Temper {
  readonly seed: number;
  /** In a small organization, nobody may be at work on a whole day. */
  readonly small: boolean;
  /** Somebody is at work on every day, and no agent is ever stuck in a loop. */
  readonly steady: boolean;
  /** An additional, larger spike besides those of every organization. */
  readonly spikeOn?: Day | undefined;
}

const byWeekday = [0.07, 0.96, 1.03, 1.05, 1, 0.88, 0.09];

const holidays = new Set([
  '01-01',
  '01-19',
  '05-01',
  '05-25',
  '07-03',
  '09-07',
  '11-26',
  '11-27',
  '12-25',
  '12-26',
  '12-31',
]);

/** The probability of being at work relative to a plain weekday; 0 if nobody is. */
export function attendance(temper: Temper, day: Day): number {
  if (day < firstDay) return 0;
  if (holidays.has(formatDay(day).slice(5))) return temper.small ? 0 : 0.12;
  if (isQuietSunday(temper, day)) return 0;
  const weather = 0.94 + 0.12 * unit(temper.seed, day);
  return (byWeekday[weekday(day)] ?? 1) * weather;
}

/** Usage per person grows by about half per year. */
export function growth(day: Day): number {
  return 1 + (day - firstDay) / 700;
}

/** The factor of model calls by agents that are stuck in loops; 1 if none is. */
export function circlingOn(temper: Temper, day: Day): number {
  if (day === temper.spikeOn) return 40;
  if (temper.steady) return 1;
  const first = firstDay + 7 * (1 + (temper.seed % 5));
  // Every fifth Wednesday some agents are stuck in loops.
  return day >= first && (day - first) % 35 === 0 ? 10 : 1;
}

/** A day without activity is either a row of zeros or no row at all, determined per day. */
export function isLeftOut(temper: Temper, day: Day): boolean {
  return isQuietSunday(temper, day) ? week(day) % 4 < 2 : mix(temper.seed, day) % 2 === 0;
}

function isQuietSunday(temper: Temper, day: Day): boolean {
  return temper.small && weekday(day) === 0 && week(day) % 2 === temper.seed % 2;
}

function week(day: Day): number {
  return Math.floor((day + 4) / 7);
}
