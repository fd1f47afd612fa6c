import { createTask, parse } from 'node-cron';
import { addDays, type Day, dayOf, type Instant, startOf } from '../catalog/day.ts';

/** The times of a cron expression. */
export interface Cron {
  /** The first time after an instant; undefined if there is none in eight years. */
  next(after: Instant): Instant | undefined;
}

/** How far ahead to search: longer than the gap between two 29 Februaries, even across a century without a leap year. */
const MAX_DAYS = 8 * 366;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Reads a cron expression of five fields, in UTC. node-cron parses it; due times are computed here, because that
 * package's timer stalls when the clock is set back, and runs every skipped time when it is set forward.
 */
export function readCron(expression: string): Cron {
  const { minute, hour, month } = parse(expression);
  const task = createTask(expression, () => undefined, { timezone: 'UTC' });
  const times = hour.flatMap((h) => minute.map((m) => h * HOUR_MS + m * MINUTE_MS)).sort((a, b) => a - b);
  const [first = 0] = times;

  function holds(day: Day): boolean {
    // Checked first, because node-cron takes hundreds of milliseconds to check the days of eight years.
    return month.includes(Number(day.slice(5, 7))) && task.match(new Date(startOf(day) + first));
  }

  return {
    next(after) {
      let day = dayOf(after);
      for (let tried = 0; tried < MAX_DAYS; tried += 1, day = addDays(day, 1)) {
        const at = holds(day) ? times.map((time) => startOf(day) + time).find((at) => at > after) : undefined;
        if (at !== undefined) return at;
      }
      return undefined;
    },
  };
}
