import type { Window } from '../catalog/collector.ts';
import { addDays, type Day, daysBetween } from '../catalog/day.ts';
import type { PlatformError } from '../text/errors.ts';
import { daysDescending, nextWindow } from './days-to-fetch.ts';
import { type FetchMemory, withAnswer, withFailedDay, withoutFailures, withTooMuch } from './fetch-memory.ts';

/**
 * The reason for a request. `newest`: the newest day, first and by itself. `window`: days to fetch. `part`: part of a
 * window that failed. `retry`: a day that failed by itself earlier.
 */
type RequestKind = 'newest' | 'window' | 'part' | 'retry';

/** One request of a run. */
export interface Ask {
  readonly kind: RequestKind;
  readonly window: Window;
  /** Whether the client retries a transient failure at once. Otherwise a later request of the plan covers the same days. */
  readonly retries: boolean;
}

/** The remaining requests of a run and its results so far; each answer produces the next plan. */
interface DayPlan {
  readonly newest: Day;
  readonly isNewestAsked: boolean;
  /** Why the newest day or the platform as a whole has failed. */
  readonly failure: PlatformError | undefined;
  /** Days not yet requested in this run, newest first. */
  readonly days: readonly Day[];
  /** Parts of windows that failed, newest first. */
  readonly parts: readonly Window[];
  /** Days set aside earlier that are due, newest first. */
  readonly due: readonly Day[];
  readonly isEnded: boolean;
  /** Number of single days that have failed since the last answer. */
  readonly failedInRow: number;
  readonly hasAnswer: boolean;
  /** Maximum number of days of a window. */
  readonly limit: number;
  readonly memory: FetchMemory;
}

/**
 * After this many single days in a row have failed, the run skips the remaining days: the platform is down, or does not serve
 * days that old. The failed days are set aside, so that the next run begins with other days.
 */
const FAILED_DAYS = 3;

/**
 * Plans a run for the days to fetch, newest first. `isThorough` includes days that are set aside regardless of their
 * pause; `now` is monotonic, in milliseconds.
 */
export function planDays(request: {
  readonly newest: Day;
  readonly toFetch: readonly Day[];
  readonly historyStart: Day;
  readonly memory: FetchMemory;
  readonly limit: number;
  readonly isThorough: boolean;
  readonly now: number;
}): DayPlan {
  const { newest, toFetch, historyStart, limit, isThorough, now } = request;
  const outdated = [...request.memory.setAside.keys()].filter((day) => day < historyStart || day >= newest);
  const memory = withoutFailures(request.memory, outdated);
  return {
    newest,
    isNewestAsked: toFetch[0] !== newest,
    failure: undefined,
    days: toFetch.filter((day) => day < newest && !memory.setAside.has(day)),
    parts: [],
    due: [...memory.setAside]
      .flatMap(([day, { dueAt }]) => (isThorough || dueAt <= now ? [day] : []))
      .sort()
      .reverse(),
    isEnded: false,
    failedInRow: 0,
    hasAnswer: false,
    limit,
    memory,
  };
}

/** The plan with more days to fetch; those that are set aside keep their pause. */
export function withDays(plan: DayPlan, more: readonly Day[]): DayPlan {
  const added = more.filter((day) => !plan.memory.setAside.has(day));
  return { ...plan, days: [...new Set([...plan.days, ...added])].sort().reverse() };
}

/** The next request of the run; undefined if nothing is left. */
export function nextAsk(plan: DayPlan): Ask | undefined {
  const { newest, failure, hasAnswer, memory } = plan;
  if (plan.isEnded) return undefined;
  if (!plan.isNewestAsked) return single('newest', newest, true);
  const [part] = plan.parts;
  if (part !== undefined) return { kind: 'part', window: part, retries: false };
  // If the newest day has failed, single days show whether the platform as a whole fails.
  const isDoubtful = failure !== undefined && !hasAnswer;
  const window = nextWindow(plan.days, isDoubtful ? 1 : Math.min(memory.windowDays, plan.limit));
  if (window !== undefined) return { kind: 'window', window, retries: !isDoubtful };
  const [due] = plan.due;
  return due === undefined ? undefined : single('retry', due, false);
}

/**
 * The plan after an answer of `bytes` bytes in which `rows` days had a row. The platform does not have the `unready` days yet, so
 * they do not count as served: the day before them becomes the newest day.
 */
export function afterAnswer(
  plan: DayPlan,
  ask: Ask,
  rows: number,
  bytes: number,
  unready: ReadonlySet<Day> = new Set(),
): DayPlan {
  const days = daysDescending(ask.window.from, ask.window.to);
  const memory = withAnswer(withoutFailures(plan.memory, days), rows, bytes);
  const next = { ...without(plan, ask), memory };
  let { newest } = plan;
  while (unready.has(newest)) newest = addDays(newest, -1);
  const lowered = newest === plan.newest ? next : withEarlierNewest(next, newest);
  return unready.size === days.length ? lowered : { ...lowered, hasAnswer: true, failedInRow: 0 };
}

/** The plan with an earlier newest day. This day is requested even if it was set aside. */
function withEarlierNewest(plan: DayPlan, newest: Day): DayPlan {
  const isSetAside = plan.memory.setAside.has(newest);
  return {
    ...plan,
    newest,
    days: isSetAside ? [newest, ...plan.days] : plan.days,
    due: plan.due.filter((day) => day < newest),
    memory: withoutFailures(plan.memory, [newest]),
  };
}

/** The plan after a failure; `now` is monotonic, in milliseconds. */
export function afterFailure(plan: DayPlan, ask: Ask, error: PlatformError, now: number): DayPlan {
  if (!concernsWindow(error, plan.hasAnswer)) return ended(plan, ask, error, now);
  const rest = without(plan, ask);
  const days = daysBetween(ask.window.from, ask.window.to) + 1;
  if (days === 1 && ask.window.to === plan.newest) return { ...rest, failure: error, failedInRow: 1 };
  if (days === 1) return afterFailedDay(rest, ask, error, now);
  const isTooMuch = error.tooLarge || error.reason === 'timeout';
  const memory = isTooMuch ? withTooMuch(plan.memory, days) : plan.memory;
  return { ...rest, memory, parts: [...halves(ask.window), ...rest.parts] };
}

/** The plan after the platform has refused the newest day, because its newest one is earlier: that is requested by itself. */
export function withNewest(plan: DayPlan, newest: Day): DayPlan {
  const lowered = withEarlierNewest(plan, newest);
  const days = lowered.days.filter((day) => day < newest);
  return { ...lowered, isNewestAsked: !lowered.days.includes(newest), days };
}

function afterFailedDay(plan: DayPlan, { kind, window }: Ask, error: PlatformError, now: number): DayPlan {
  const failedInRow = plan.failedInRow + 1;
  const next = { ...plan, failedInRow, memory: withFailedDay(plan.memory, window.to, now) };
  if (failedInRow < FAILED_DAYS) return next;
  if (!plan.hasAnswer) return { ...next, failure: plan.failure ?? error, isEnded: true };
  if (kind === 'retry') return { ...next, isEnded: true };
  return { ...next, days: [], parts: [], failedInRow: 0 };
}

/** Ends a run after a failure that is not caused by the requested days alone. */
function ended(plan: DayPlan, ask: Ask, error: PlatformError, now: number): DayPlan {
  const end = { ...plan, failure: error, isEnded: true };
  // If another day was answered and this failure has a time to retry at, the requested days may be the cause.
  if (error.retryAt === undefined || error.reason !== 'server' || !plan.hasAnswer) return end;
  const days = daysBetween(ask.window.from, ask.window.to) + 1;
  const memory = days > 1 ? withTooMuch(plan.memory, days) : withFailedDay(plan.memory, ask.window.to, now);
  return { ...end, memory };
}

/**
 * Whether the requested days may be the cause of a failure, rather than the key, the rate or the connection. A broken
 * connection may be caused by them once another answer has arrived.
 */
function concernsWindow({ reason, retryAt }: PlatformError, hasAnswer: boolean): boolean {
  if (retryAt !== undefined) return false;
  return LOCAL_REASONS.has(reason) || (reason === 'network' && hasAnswer);
}

const LOCAL_REASONS: ReadonlySet<string> = new Set(['server', 'schema', 'limit', 'timeout']);

/** The plan without what was just requested. */
function without(plan: DayPlan, { kind, window }: Ask): DayPlan {
  switch (kind) {
    case 'newest':
      return { ...plan, isNewestAsked: true };
    case 'part':
      return { ...plan, parts: plan.parts.slice(1) };
    case 'window':
      return { ...plan, days: plan.days.filter((day) => day < window.from || day > window.to) };
    case 'retry':
      return { ...plan, due: plan.due.slice(1) };
  }
}

/** The newer and the older half of a window of more than a day. */
function halves({ from, to }: Window): readonly Window[] {
  const middle = addDays(from, Math.floor((daysBetween(from, to) + 1) / 2));
  return [
    { from: middle, to },
    { from, to: addDays(middle, -1) },
  ];
}

function single(kind: RequestKind, day: Day, retries: boolean): Ask {
  return { kind, window: { from: day, to: day }, retries };
}
