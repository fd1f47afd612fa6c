import { createTask } from 'node-cron';
import type { Instant } from '../catalog/day.ts';
import type { Logger } from '../runtime/logger.ts';

/** A running schedule. */
export interface Ticking {
  /** When the next tick is due, in milliseconds; undefined where it never comes. */
  next(): Instant | undefined;
  stop(): void;
}

/** Calls back at the times of a cron expression of five fields, in UTC. */
export interface Ticker {
  start(expression: string, onTick: () => void): Ticking;
}

/** A ticker on node-cron; a tick that the machine slept through is made up for as soon as it is noticed. */
export function createCronTicker(log: Logger): Ticker {
  const logger = {
    info: (message: string) => log.debug('cron', { detail: message }),
    debug: (message: string | Error) => log.debug('cron', { detail: String(message) }),
    warn: (message: string) => log.debug('cron', { detail: message }),
    error: (message: string | Error) => log.error('The cron timer failed', { error: String(message) }),
  };
  return {
    start(expression, onTick) {
      const task = createTask(expression, onTick, { timezone: 'UTC', logger });
      task.on('execution:missed', onTick);
      void task.start();
      return {
        next: () => task.getNextRun()?.getTime(),
        stop: () => void task.destroy(),
      };
    },
  };
}

/** A ticker for tests: `tick` fires every schedule with that expression. */
export function createFakeTicker(): Ticker & { tick(expression: string): void } {
  const schedules = new Set<{ expression: string; onTick: () => void }>();
  return {
    start(expression, onTick) {
      const schedule = { expression, onTick };
      schedules.add(schedule);
      return { next: () => undefined, stop: () => void schedules.delete(schedule) };
    },
    tick(expression) {
      for (const schedule of schedules) if (schedule.expression === expression) schedule.onTick();
    },
  };
}
