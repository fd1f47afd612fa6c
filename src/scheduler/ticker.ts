import type { Instant } from '../catalog/day.ts';
import type { Logger } from '../log/logger.ts';
import type { Clock } from '../work/clock.ts';
import { type Cron, readCron } from './cron.ts';

/** A running schedule. */
export interface Ticking {
  /** When the next tick, or the first one after an instant, is due, in milliseconds; undefined if it never comes. */
  next(after?: Instant): Instant | undefined;
  stop(): void;
}

/** Calls back at the times of cron expressions of five fields, in UTC. */
export interface Ticker {
  start(expression: string, onTick: () => void): Ticking;
  /**
   * Calls back once after the clock was changed, or the machine or the process was suspended: missed ticks are not made
   * up for.
   */
  onJump(listener: () => void): void;
}

/** How often the clock is checked, in milliseconds. */
const LOOK_MS = 30_000;
/** Minimum deviation of the clock that counts as a change, in milliseconds. */
const JUMP_MS = 60_000;

/** Everything that ticks by one expression: thousands of collectors share a few of them. */
interface Schedule {
  readonly cron: Cron;
  readonly listeners: Set<Listener>;
  next: Instant | undefined;
}

interface Listener {
  readonly onTick: () => void;
}

/** Creates a ticker that follows changes of the clock; it waits only while there is a schedule. */
export function createCronTicker({ clock, log }: { readonly clock: Clock; readonly log: Logger }): Ticker {
  const schedules = new Map<string, Schedule>();
  const jumpListeners = new Set<() => void>();
  let wake: AbortController | undefined;

  async function keepTime(): Promise<void> {
    let wall = clock.now();
    let elapsed = clock.elapsed();
    while (schedules.size > 0) {
      const planned = Math.max(0, Math.min(LOOK_MS, ...dueIn(wall)));
      wake = new AbortController();
      await clock.wait(planned, wake.signal).catch(() => undefined);
      const passed = clock.elapsed() - elapsed;
      const now = clock.now();
      const stepped = now - wall - passed;
      wall = now;
      elapsed += passed;
      // Monotonic time continues while a process is stopped, but on many machines not while they are suspended.
      const stalled = passed - planned;
      if (Math.abs(stepped) >= JUMP_MS || stalled >= JUMP_MS) jump(wall, stepped, stalled);
      else tick(wall);
    }
    wake = undefined;
  }

  function dueIn(now: Instant): number[] {
    return [...schedules.values()].flatMap(({ next }) => (next === undefined ? [] : [next - now]));
  }

  function tick(now: Instant): void {
    for (const schedule of schedules.values()) {
      if (schedule.next === undefined || schedule.next > now) continue;
      schedule.next = schedule.cron.next(now);
      for (const { onTick } of [...schedule.listeners]) onTick();
    }
  }

  function jump(now: Instant, stepped: number, stalled: number): void {
    for (const schedule of schedules.values()) schedule.next = schedule.cron.next(now);
    log.info('Clock changed or process suspended', {
      stepped_seconds: Math.round(stepped / 1000),
      stalled_seconds: Math.round(stalled / 1000),
    });
    for (const onJump of jumpListeners) onJump();
  }

  function scheduleOf(expression: string): Schedule {
    const known = schedules.get(expression);
    if (known !== undefined) return known;
    const cron = readCron(expression);
    const schedule = { cron, listeners: new Set<Listener>(), next: cron.next(clock.now()) };
    schedules.set(expression, schedule);
    // The current wait may end after the time of a new schedule.
    if (wake === undefined) void keepTime();
    else wake.abort();
    return schedule;
  }

  return {
    start(expression, onTick) {
      const schedule = scheduleOf(expression);
      const listener = { onTick };
      schedule.listeners.add(listener);
      return {
        next: (after) => (after === undefined ? schedule.next : schedule.cron.next(after)),
        stop() {
          schedule.listeners.delete(listener);
          if (schedule.listeners.size === 0 && schedules.get(expression) === schedule)
            schedules.delete(expression);
          wake?.abort();
        },
      };
    },
    onJump: (listener) => void jumpListeners.add(listener),
  };
}
