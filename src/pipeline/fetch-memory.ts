import type { Day } from '../catalog/day.ts';
import { backoffMs } from '../work/backoff.ts';
import { MAX_WINDOW_DAYS, TARGET_BYTES } from './days-to-fetch.ts';

/** A day that fails by itself. Instants are monotonic, in milliseconds. */
interface SetAsideDay {
  /** Number of consecutive failures. */
  readonly failures: number;
  /** Scheduled runs do not request it before this. */
  readonly dueAt: number;
}

/** What earlier requests have shown about fetching the days of one collector of one organization. A plain value. */
export interface FetchMemory {
  /** Maximum number of days of the next window. */
  readonly windowDays: number;
  /** Size of the largest day so far, in bytes. */
  readonly heaviestDay: number;
  /** Maximum size to which windows may grow; reduced once a larger window was too much. */
  readonly maxWindowDays: number;
  readonly setAside: ReadonlyMap<Day, SetAsideDay>;
}

/** The state before the first answer: windows start at one day. */
export const NOTHING_LEARNED: FetchMemory = {
  windowDays: 1,
  heaviestDay: 0,
  maxWindowDays: MAX_WINDOW_DAYS,
  setAside: new Map(),
};

/** Maximum growth factor from one window to the next. */
const GROWTH = 8;

const FIRST_PAUSE_MS = 25 * 60_000;

/** An hour less than a day, so that hourly runs retry at least once a day. */
const MAX_PAUSE_MS = 23 * 3_600_000;

/** The memory after an answer of `bytes` bytes with `rows` rows: the next window may grow. */
export function withAnswer(memory: FetchMemory, rows: number, bytes: number): FetchMemory {
  const { maxWindowDays, windowDays } = memory;
  // Days without rows have no size to learn from; growing windows soon reach a day with rows.
  const heaviestDay = rows > 0 ? Math.max(memory.heaviestDay, bytes / rows) : memory.heaviestDay;
  const fitting = heaviestDay === 0 ? maxWindowDays : Math.max(1, Math.floor(TARGET_BYTES / heaviestDay));
  return { ...memory, heaviestDay, windowDays: Math.min(maxWindowDays, fitting, windowDays * GROWTH) };
}

/** The memory after a window of this many days was too large: windows stay at half of it or below. */
export function withTooMuch(memory: FetchMemory, days: number): FetchMemory {
  const maxWindowDays = Math.max(1, Math.floor(days / 2));
  return { ...memory, maxWindowDays, windowDays: Math.min(memory.windowDays, maxWindowDays) };
}

/** The memory after a single day has failed: the day is set aside, for longer each time. */
export function withFailedDay(memory: FetchMemory, day: Day, now: number): FetchMemory {
  const failures = (memory.setAside.get(day)?.failures ?? 0) + 1;
  const pause = backoffMs(failures - 1, { baseMs: FIRST_PAUSE_MS, capMs: MAX_PAUSE_MS });
  return { ...memory, setAside: new Map(memory.setAside).set(day, { failures, dueAt: now + pause }) };
}

/** The memory without the failures of these days. */
export function withoutFailures(memory: FetchMemory, days: readonly Day[]): FetchMemory {
  if (!days.some((day) => memory.setAside.has(day))) return memory;
  const setAside = new Map(memory.setAside);
  for (const day of days) setAside.delete(day);
  return { ...memory, setAside };
}
