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

/** All schedules with the same cron expression: thousands of collectors share a few expressions. */
interface Schedule {
  readonly cron: Cron;
  readonly listeners: Set<Listener>;
  next: Instant | undefined;
}

interface Listener {
  readonly onTick: () => void;
}

interface CronTickerParts {
  readonly clock: Clock;
  readonly log: Logger;
}

/** A ticker that follows changes of the clock; it waits only while there is a schedule. */
export class CronTicker implements Ticker {
  readonly #clock: Clock;
  readonly #log: Logger;
  /** The schedules by cron expression. */
  readonly #schedules = new Map<string, Schedule>();
  readonly #jumpListeners = new Set<() => void>();
  /** Ends the current wait; undefined while there is none. */
  #wake: AbortController | undefined;

  constructor({ clock, log }: CronTickerParts) {
    this.#clock = clock;
    this.#log = log;
  }

  start(expression: string, onTick: () => void): Ticking {
    const schedule = this.#scheduleOf(expression);
    const listener = { onTick };
    schedule.listeners.add(listener);
    return {
      next: (after) => (after === undefined ? schedule.next : schedule.cron.next(after)),
      stop: () => {
        schedule.listeners.delete(listener);
        if (schedule.listeners.size === 0 && this.#schedules.get(expression) === schedule)
          this.#schedules.delete(expression);
        this.#wake?.abort();
      },
    };
  }

  onJump(listener: () => void): void {
    this.#jumpListeners.add(listener);
  }

  #scheduleOf(expression: string): Schedule {
    const known = this.#schedules.get(expression);
    if (known !== undefined) return known;
    const cron = readCron(expression);
    const schedule = { cron, listeners: new Set<Listener>(), next: cron.next(this.#clock.now()) };
    this.#schedules.set(expression, schedule);
    // Wakes the loop, because its current wait may end after the new schedule's first tick.
    if (this.#wake === undefined) void this.#keepTime();
    else this.#wake.abort();
    return schedule;
  }

  async #keepTime(): Promise<void> {
    const clock = this.#clock;
    let wall = clock.now();
    let elapsed = clock.elapsed();
    while (this.#schedules.size > 0) {
      const planned = Math.max(0, Math.min(LOOK_MS, ...this.#dueIn(wall)));
      this.#wake = new AbortController();
      await clock.wait(planned, this.#wake.signal).catch(() => undefined);
      const passed = clock.elapsed() - elapsed;
      const now = clock.now();
      const stepped = now - wall - passed;
      wall = now;
      elapsed += passed;
      // Monotonic time continues while a process is stopped, but on many machines not while they are suspended.
      const stalled = passed - planned;
      if (Math.abs(stepped) >= JUMP_MS || stalled >= JUMP_MS) this.#jump(wall, stepped, stalled);
      else this.#tick(wall);
    }
    this.#wake = undefined;
  }

  #dueIn(now: Instant): number[] {
    return [...this.#schedules.values()].flatMap(({ next }) => (next === undefined ? [] : [next - now]));
  }

  #tick(now: Instant): void {
    for (const schedule of this.#schedules.values()) {
      if (schedule.next === undefined || schedule.next > now) continue;
      schedule.next = schedule.cron.next(now);
      for (const { onTick } of [...schedule.listeners]) onTick();
    }
  }

  #jump(now: Instant, stepped: number, stalled: number): void {
    for (const schedule of this.#schedules.values()) schedule.next = schedule.cron.next(now);
    this.#log.info('Clock changed or process suspended', {
      stepped_seconds: Math.round(stepped / 1000),
      stalled_seconds: Math.round(stalled / 1000),
    });
    for (const onJump of this.#jumpListeners) onJump();
  }
}
