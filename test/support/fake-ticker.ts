import type { Instant } from '../../src/catalog/day.ts';
import { readCron } from '../../src/scheduler/cron.ts';
import type { Ticker } from '../../src/scheduler/ticker.ts';

/**
 * A ticker for tests: `tick` fires every schedule with that expression, `jump` reports a change of the clock. With a clock, it
 * knows when schedules are due.
 */
export function createFakeTicker(clock?: {
  now(): Instant;
}): Ticker & { tick(expression: string): void; jump(): void } {
  const schedules = new Set<{ expression: string; onTick: () => void }>();
  const listeners = new Set<() => void>();
  return {
    start(expression, onTick) {
      const schedule = { expression, onTick };
      schedules.add(schedule);
      return {
        next: (after) => clock && readCron(expression).next(after ?? clock.now()),
        stop: () => void schedules.delete(schedule),
      };
    },
    onJump: (listener) => void listeners.add(listener),
    tick(expression) {
      for (const schedule of schedules) if (schedule.expression === expression) schedule.onTick();
    },
    jump() {
      for (const listener of listeners) listener();
    },
  };
}
