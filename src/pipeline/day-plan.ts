import type { Window } from '../catalog/collector.ts';
import { addDays, type Day, daysBetween } from '../catalog/day.ts';
import type { PlatformError } from '../runtime/errors.ts';
import { daysDescending, nextWindow } from './days-to-fetch.ts';
import {
  type FetchMemory,
  withAnswer,
  withBoundary,
  withFailedDay,
  withoutDays,
  withTooMuch,
} from './run-memory.ts';

/**
 * The reason for a request. `newest`: the newest day, first and by itself. `window`: days to fetch. `part`: part of a
 * window that failed. `retry`: a day that failed by itself earlier. `oldest`: the oldest day, to find out whether days
 * before some day are not served at all. `boundary`: to find out whether those are served by now. `check`: the day that
 * was answered first, again, to find out whether the platform as a whole fails.
 */
type RequestKind = 'newest' | 'window' | 'part' | 'retry' | 'oldest' | 'boundary' | 'check';

/** One request of a run. */
export interface Ask {
  readonly kind: RequestKind;
  readonly window: Window;
  /** Whether a transient failure is retried at once; otherwise another request is the retry. */
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
  /** Days set aside earlier that are due. */
  readonly due: readonly Day[];
  /** The days at and beyond the boundary, newest first, if it is to be tried. */
  readonly beyondBoundary: readonly Day[];
  readonly isCheckDue: boolean;
  readonly isEnded: boolean;
  /** Number of single days that have failed since the last answer. */
  readonly failedInRow: number;
  /** The newest day, or the first other one, that was answered: it shows later whether the platform still answers. */
  readonly witness: Day | undefined;
  /** A day rejected by itself, and the older windows rejected after it. */
  readonly edge: { readonly day: Day; readonly refused: readonly Window[] } | undefined;
  /** Maximum number of days of a window. */
  readonly limit: number;
  readonly memory: FetchMemory;
  /** The memory before the consecutive failures, for which the days may not be responsible. */
  readonly trusted: FetchMemory;
}

/** The number of older windows that are rejected after a day that was rejected by itself, if it is a boundary. */
const REFUSED_WINDOWS = 2;
/** The number of consecutive single days, including the newest, that fail if the platform as a whole fails. */
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
  const memory = withoutDays(request.memory, outdated);
  const { boundary } = memory;
  const isServed = (day: Day) => boundary === undefined || day > boundary.day;
  const isDue = (one: { readonly dueAt: number }) => isThorough || one.dueAt <= now;
  const beyondBoundary =
    boundary !== undefined && isDue(boundary) ? toFetch.filter((day) => !isServed(day)) : [];
  return {
    newest,
    isNewestAsked: toFetch[0] !== newest,
    failure: undefined,
    days: toFetch.filter((day) => day < newest && isServed(day) && !memory.setAside.has(day)),
    parts: [],
    due: [...memory.setAside]
      .flatMap(([day, one]) => (isDue(one) ? [day] : []))
      .sort()
      .reverse(),
    beyondBoundary,
    isCheckDue: false,
    isEnded: false,
    failedInRow: 0,
    witness: undefined,
    edge: undefined,
    limit,
    memory,
    trusted: memory,
  };
}

/** The plan with more days to fetch; those that are set aside keep their pause. */
export function withDays(plan: DayPlan, more: readonly Day[]): DayPlan {
  const { setAside, boundary } = plan.memory;
  const added = more.filter((day) => !setAside.has(day) && (boundary === undefined || day > boundary.day));
  return { ...plan, days: [...new Set([...plan.days, ...added])].sort().reverse() };
}

/** The next request of the run; undefined if nothing is left. */
export function nextAsk(plan: DayPlan): Ask | undefined {
  const { newest, failure, witness, memory } = plan;
  if (plan.isEnded) return undefined;
  if (!plan.isNewestAsked) return single('newest', newest, true);
  if (plan.isCheckDue && witness !== undefined) return single('check', witness, true);
  if (isMaybeBoundary(plan)) return single('oldest', oldestOf(plan), false);
  const [part] = plan.parts;
  if (part !== undefined) return { kind: 'part', window: part, retries: false };
  // If the newest day has failed, single days show whether the platform as a whole fails.
  const isDoubtful = failure !== undefined && witness === undefined;
  const window = nextWindow(plan.days, isDoubtful ? 1 : Math.min(memory.windowDays, plan.limit));
  if (window !== undefined) return { kind: 'window', window, retries: !isDoubtful };
  const [due] = plan.due;
  if (due !== undefined) return single('retry', due, false);
  const [beyondBoundary] = plan.beyondBoundary;
  return beyondBoundary === undefined ? undefined : single('boundary', beyondBoundary, false);
}

/** The plan after an answer in which `rows` of its days had one, in `bytes`. */
export function afterAnswer(plan: DayPlan, ask: Ask, rows: number, bytes: number): DayPlan {
  const days = daysDescending(ask.window.from, ask.window.to);
  const memory = withAnswer(withoutDays(plan.memory, days), rows, bytes);
  const witness = plan.witness ?? ask.window.to;
  const rest = { ...without(plan, ask), witness, memory, trusted: memory };
  switch (ask.kind) {
    // The days in between have failed, and the platform has not: they themselves are the cause.
    case 'check':
      return settled(rest);
    case 'boundary':
      return settled({
        ...rest,
        failedInRow: 0,
        memory: { ...memory, boundary: undefined },
        days: rest.beyondBoundary,
        beyondBoundary: [],
      });
    default:
      return dissolved({ ...rest, failedInRow: 0 });
  }
}

/** The plan after a failure; `now` is monotonic, in milliseconds. */
export function afterFailure(plan: DayPlan, ask: Ask, error: PlatformError, now: number): DayPlan {
  if (!concernsWindow(error, plan.witness !== undefined)) return ended(plan, ask, error, now);
  if (ask.kind === 'check') {
    return { ...plan, failure: plan.failure ?? error, isEnded: true, memory: plan.trusted };
  }
  const rest = without(plan, ask);
  if (ask.kind === 'boundary') {
    return { ...rest, beyondBoundary: [], memory: withBoundary(rest.memory, ask.window.to, now) };
  }
  if (ask.kind === 'oldest') return isRefusal(error) ? bounded(rest, now) : dissolved(rest);
  const days = daysBetween(ask.window.from, ask.window.to) + 1;
  if (days > 1) return afterFailedWindow(rest, ask.window, days, error);
  return afterFailedDay(rest, ask, error, now);
}

/** The plan if the newest day turned out to be one earlier. */
export function withNewest(plan: DayPlan, newest: Day): DayPlan {
  const days = plan.days.filter((day) => day < newest);
  const isNewestAsked = !plan.days.includes(newest);
  return { ...plan, newest, isNewestAsked, days, due: plan.due.filter((day) => day < newest) };
}

function afterFailedWindow(plan: DayPlan, window: Window, days: number, error: PlatformError): DayPlan {
  const isTooMuch = error.tooLarge || error.reason === 'timeout';
  const memory = isTooMuch ? withTooMuch(plan.memory, days) : plan.memory;
  const refused = refusedBeyond(plan, window, error);
  if (refused === undefined) return { ...plan, memory, parts: [...halves(window), ...plan.parts] };
  return settled({ ...plan, memory, edge: refused });
}

function afterFailedDay(plan: DayPlan, ask: Ask, error: PlatformError, now: number): DayPlan {
  const { from: day } = ask.window;
  if (ask.kind === 'newest') return { ...plan, failure: error, failedInRow: 1 };
  const refused = refusedBeyond(plan, ask.window, error);
  const failedInRow = plan.failedInRow + 1;
  const hasAnswer = plan.witness !== undefined;
  const isEdge = hasAnswer && plan.edge === undefined && ask.kind !== 'retry' && isRefusal(error);
  const next: DayPlan = {
    ...plan,
    failedInRow,
    edge: isEdge ? { day, refused: [] } : (refused ?? plan.edge),
    memory: withFailedDay(plan.memory, day, now),
    isEnded: !hasAnswer && plan.failure !== undefined && failedInRow >= FAILED_DAYS,
    // Increasingly rarely, so that many bad days do not double the requests.
    isCheckDue: hasAnswer && failedInRow >= 2 && (failedInRow & (failedInRow - 1)) === 0,
  };
  return settled(next);
}

/** The edge with one more rejected window; undefined if the window is not beyond it, or was not rejected. */
function refusedBeyond({ edge }: DayPlan, window: Window, error: PlatformError): DayPlan['edge'] {
  if (edge === undefined || window.to >= edge.day || !isRefusal(error)) return undefined;
  return { ...edge, refused: [...edge.refused, window] };
}

/** Whether only the oldest day could still show that there is no boundary. */
function isMaybeBoundary({ edge }: DayPlan): boolean {
  return edge !== undefined && edge.refused.length >= REFUSED_WINDOWS;
}

function oldestOf({ days, edge, newest }: DayPlan): Day {
  const refused = edge?.refused.map(({ from }) => from) ?? [];
  return [...days, ...refused].reduce((one, other) => (one < other ? one : other), newest);
}

/** The plan in which nothing at or beyond the edge is requested. */
function bounded(plan: DayPlan, now: number): DayPlan {
  const { edge } = plan;
  if (edge === undefined) return plan;
  const memory = withBoundary(plan.memory, edge.day, now);
  return {
    ...plan,
    memory,
    trusted: memory,
    edge: undefined,
    isCheckDue: false,
    days: plan.days.filter((day) => day > edge.day),
    parts: plan.parts.filter(({ from }) => from > edge.day),
    due: plan.due.filter((day) => day > edge.day),
  };
}

/** The plan in which what was rejected beyond the edge is requested in parts. */
function dissolved(plan: DayPlan): DayPlan {
  const windows = plan.edge?.refused.filter(({ from, to }) => from !== to) ?? [];
  return { ...plan, edge: undefined, parts: [...plan.parts, ...windows.flatMap(halves)] };
}

/** Drops an edge if no remaining request could show that it is a boundary. */
function settled(plan: DayPlan): DayPlan {
  const isOpen = plan.parts.length > 0 || plan.days.length > 0 || isMaybeBoundary(plan);
  return plan.edge === undefined || isOpen ? plan : dissolved(plan);
}

/** Ends a run after a failure that is not caused by the requested days alone. */
function ended(plan: DayPlan, ask: Ask, error: PlatformError, now: number): DayPlan {
  const end = { ...plan, failure: error, isEnded: true };
  // If the newest day was answered and this failure has a time to retry at, the requested days may be the cause.
  if (error.retryAt === undefined || error.reason !== 'server' || plan.witness === undefined) return end;
  if (ask.kind === 'check') return end;
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

function isRefusal({ reason, status = 0 }: PlatformError): boolean {
  return reason === 'server' && status >= 400 && status < 500;
}

/** The plan without what was just requested. */
function without(plan: DayPlan, { kind, window }: Ask): DayPlan {
  switch (kind) {
    case 'newest':
      return { ...plan, isNewestAsked: true };
    case 'check':
      return { ...plan, isCheckDue: false };
    case 'part':
      return { ...plan, parts: plan.parts.slice(1) };
    case 'window':
    case 'oldest':
      return { ...plan, days: plan.days.filter((day) => day < window.from || day > window.to) };
    case 'retry':
      return { ...plan, due: plan.due.slice(1) };
    case 'boundary':
      return { ...plan, beyondBoundary: plan.beyondBoundary.slice(1) };
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
