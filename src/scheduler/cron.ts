import { createTask, parse } from 'node-cron';
import { addDays, type Day, dayOf, type Instant, startOf } from '../catalog/day.ts';

/** The times of a cron expression. */
export interface Cron {
  /** The first time after an instant; undefined if there is none in eight years. */
  next(after: Instant): Instant | undefined;
  /** The last time until an instant, that instant included; undefined if there is none in eight years. */
  last(until: Instant): Instant | undefined;
}

/** Longer than the gap between two 29 Februaries, even across a century year that is not a leap year. */
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
    // Asked first: node-cron takes hundreds of milliseconds for the days of eight years.
    return month.includes(Number(day.slice(5, 7))) && task.match(new Date(startOf(day) + first));
  }

  /** The first time that is wanted, from a day on, forwards or back. */
  function nearest(from: Instant, step: 1 | -1, isWanted: (at: Instant) => boolean): Instant | undefined {
    const ordered = step > 0 ? times : times.toReversed();
    let day = dayOf(from);
    for (let tried = 0; tried < MAX_DAYS; tried += 1, day = addDays(day, step)) {
      const at = holds(day) ? ordered.map((time) => startOf(day) + time).find(isWanted) : undefined;
      if (at !== undefined) return at;
    }
    return undefined;
  }

  return {
    next: (after) => nearest(after, 1, (at) => at > after),
    last: (until) => nearest(until, -1, (at) => at <= until),
  };
}

/** The newest tick of a cron expression until an instant, that instant included; 0 without one in eight years. */
export type LastTick = (expression: string, until: Instant) => Instant;

/** Creates a `LastTick` that computes each tick of an expression once: it is asked for each collector every few seconds. */
export function createLastTick(): LastTick {
  const known = new Map<string, { readonly cron: Cron; readonly tick: Instant; readonly next: Instant }>();
  return (expression, until) => {
    const before = known.get(expression);
    if (before !== undefined && before.tick <= until && until < before.next) return before.tick;
    const cron = before?.cron ?? readCron(expression);
    const tick = cron.last(until) ?? 0;
    known.set(expression, { cron, tick, next: cron.next(until) ?? Number.POSITIVE_INFINITY });
    return tick;
  };
}
