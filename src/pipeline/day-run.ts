import { type DayCollector, type FetchedDays, limitsUnder, readerFor } from '../catalog/collector.ts';
import { addDays, type Day, dayOf, earlier, type Instant, later, yesterdayOf } from '../catalog/day.ts';
import {
  type DayRules,
  dayRulesOf,
  firstWithin,
  LATE_DAYS,
  newestAskedAt,
  newestNamed,
} from '../catalog/day-rules.ts';
import { IncompleteListing } from '../catalog/source.ts';
import type { AnsweredDays, Completed, StoredDays } from '../store/store.ts';
import { PlatformError } from '../text/errors.ts';
import { type Ask, afterAnswer, afterFailure, nextAsk, planDays, withDays, withNewest } from './day-plan.ts';
import {
  createCatchingUp,
  daysDescending,
  daysToFetch,
  firstDayOf,
  firstExpensiveDay,
  type KnownDays,
  MAX_WINDOW_DAYS,
  revisionPassDays,
  settledUntil,
  withIdleDays,
  withoutDays,
} from './days-to-fetch.ts';
import type { FetchMemory } from './fetch-memory.ts';
import { failureOf, type KeptBeside, type Run, withRequests } from './run.ts';

/** How many days the platform may be behind before that is an error, if it does not name the newest day that it has. */
const MAX_DAYS_BEHIND = 2;

/**
 * Fetches the missing days of a collector, newest first, and publishes them as they arrive. A thorough run also fetches days that
 * are set aside, even during their pause. Resolves with the time at which the success was stored; undefined if the run was
 * stopped. If the newest day or the whole platform failed, stores all days that it got, and then throws that error.
 */
export async function runDays(
  run: Run,
  collector: DayCollector<unknown>,
  mode: 'scheduled' | 'thorough',
): Promise<Instant | undefined> {
  const now = run.deps.clock.now();
  const wanted = await wantedDays(run, collector, mode === 'thorough', now);
  return new DayRun(run, collector, wanted, { now, mode }).take();
}

/** One run of a collector with days: the remaining plan and the results so far. */
class DayRun {
  readonly #run: Run;
  readonly #collector: DayCollector<unknown>;
  readonly #wanted: WantedDays;
  readonly #now: Instant;
  /** The fetch memory at the start of this run. */
  readonly #before: FetchMemory;
  readonly #failed = new Map<Day, PlatformError>();
  #plan: ReturnType<typeof planDays>;
  /** The completion of this run; set when no request is left, and stored together with the last answer. */
  #completed: Completed | undefined;
  #isAnswered = false;
  #isUnpublished = false;

  constructor(
    run: Run,
    collector: DayCollector<unknown>,
    wanted: WantedDays,
    { now, mode }: { readonly now: Instant; readonly mode: 'scheduled' | 'thorough' },
  ) {
    const { org, deps } = run;
    const { fetching: memory } = deps.runs.get(org.name, collector.name);
    this.#run = run;
    this.#collector = collector;
    this.#wanted = wanted;
    this.#now = now;
    this.#before = memory;
    const planned = { ...wanted, now, comparedDays: comparedDaysOf(run, collector) };
    for (const watcher of run.watchers) watcher.planned?.(planned);
    this.#plan = planDays({
      ...{ newest: wanted.newest, toFetch: wanted.toFetch, historyStart: wanted.historyStart, memory },
      isThorough: mode === 'thorough',
      limit: Math.min(
        collector.expensive?.windowDays ?? MAX_WINDOW_DAYS,
        rulesFor(run, collector).windowDays ?? MAX_WINDOW_DAYS,
      ),
      now: deps.clock.elapsed(),
    });
  }

  /** Sends the planned requests until none is left or the run is stopped. */
  async take(): Promise<Instant | undefined> {
    const run = this.#run;
    const { org, deps } = run;
    const total = this.#wanted.unknown.length;
    // One window is fetched quickly and needs no progress.
    const work =
      total > MAX_WINDOW_DAYS
        ? deps.progress?.begin({ org: org.name, dataset: this.#collector.dataset.name, total })
        : undefined;
    try {
      await this.#askAll((days) => work?.advance(days));
      if (this.#completed === undefined) await this.#complete();
    } finally {
      if (!run.retired()) deps.runs.update(org.name, this.#collector.name, { fetching: this.#plan.memory });
      work?.end();
      if (this.#isUnpublished) await deps.publisher.publish(org.name);
      // Without any answer the platform has failed, not single days.
      if (this.#isAnswered) logSetAside(run, this.#collector, this.#before, this.#plan.memory, this.#failed);
    }
    run.markTried();
    if (this.#plan.failure !== undefined) throw this.#plan.failure;
    return this.#completed?.succeededAt;
  }

  async #askAll(advance: (days: number) => void): Promise<void> {
    const run = this.#run;
    let isFirst = true;
    for (let ask = nextAsk(this.#plan); ask !== undefined && !run.stopping(); ask = nextAsk(this.#plan)) {
      // The runner has taken the turn for the first request.
      if (!isFirst) await run.turn.renew(ask.window.to === this.#plan.newest ? 'urgent' : 'other');
      isFirst = false;
      if (run.stopping()) break;
      const fetched = await request(run, this.#collector, ask);
      if (!(fetched instanceof PlatformError)) advance(await this.#takeAnswer(ask, fetched));
      // The end of the run aborts its request, which says nothing about the days.
      else if (run.stopping()) break;
      else if (!this.#takeFailure(ask, fetched)) continue;
      run.markTried();
    }
  }

  /** Stores an answer, and publishes the newest day; resolves with the number of days that were unknown before. */
  async #takeAnswer(ask: Ask, fetched: FetchedDays<unknown>): Promise<number> {
    const { withoutRow, unknown, catchingUp } = this.#wanted;
    const days = daysDescending(ask.window.from, ask.window.to);
    const isNewest = ask.window.to === this.#plan.newest;
    this.#isAnswered = true;
    const passed = await catchingUp.answered(days, fetched.rows);
    for (const day of passed) withoutRow.add(day);
    const told = fetched.lost === 0 ? days : days.filter((day) => fetched.rows.has(day));
    const awaited = new Set<Day>();
    for (const day of days) if (this.#isAwaited(day, fetched)) awaited.add(day);
    const answered = told.filter((day) => !awaited.has(day));
    for (const day of answered) withoutRow.delete(day);
    const plan = withDays(this.#plan, passed);
    const next = afterAnswer(plan, ask, fetched.rows.size, fetched.bytes, awaited);
    // One transaction with the last answer.
    this.#completed = nextAsk(next) === undefined ? this.#completedWith(next) : undefined;
    await saveDays(this.#run, this.#collector, fetched, { days: answered, completes: this.#completed });
    this.#plan = next;
    // The newest day is published at once; older ones change little and are published together.
    if (isNewest) await this.#run.deps.publisher.publish(this.#run.org.name);
    else this.#isUnpublished = true;
    return days.filter((day) => unknown.includes(day)).length;
  }

  /** Whether the platform does not have a day yet, and the day is recent enough that it may still come. */
  #isAwaited(day: Day, { unready }: FetchedDays<unknown>): boolean {
    const { lateDays = LATE_DAYS, unreadyDays = lateDays } = rulesFor(this.#run, this.#collector);
    return unready?.has(day) === true && day >= addDays(dayOf(this.#now), -unreadyDays);
  }

  /** Updates the plan after a failed request. Returns false if the requested newest day is not over for the platform yet. */
  #takeFailure(ask: Ask, failure: PlatformError): boolean {
    const { from, to } = ask.window;
    const { newest } = this.#plan;
    const oldest = addDays(yesterdayOf(this.#now), -MAX_DAYS_BEHIND);
    const named = newestNamed(failure) ?? newest;
    const isNamed = named < newest && named >= addDays(newest, -MAX_WINDOW_DAYS);
    if (to === newest && failure.isNotYet && (isNamed || newest > oldest)) {
      this.#plan = withNewest(this.#plan, isNamed ? named : addDays(newest, -1));
      logBehind(this.#run, this.#collector, this.#plan.newest);
      return false;
    }
    if (from === to) this.#failed.set(to, failure);
    this.#plan = afterFailure(this.#plan, ask, failure, this.#run.deps.clock.elapsed());
    return true;
  }

  /** Stores the completion of a run that needs no further answer. */
  async #complete(): Promise<void> {
    const { org, deps } = this.#run;
    const dataset = this.#collector.dataset.name;
    this.#completed = this.#completedWith(this.#plan);
    if (this.#completed?.revisedOn !== undefined)
      await deps.history.putRevisedOn(org.name, dataset, this.#completed.revisedOn);
    if (this.#completed !== undefined)
      await deps.history.putSucceeded(org.name, dataset, this.#completed.succeededAt);
    // Days that were fetched again and still have no row are settled now.
    this.#isUnpublished = true;
  }

  /** The completion to store once no request is left; undefined if the run has failed or is stopping. */
  #completedWith(done: ReturnType<typeof planDays>): Completed | undefined {
    const { withoutRow, isPass, catchingUp } = this.#wanted;
    if (done.failure !== undefined || this.#run.stopping()) return undefined;
    // A day without a row that was not fetched again leaves the pass incomplete: it must not count as settled.
    const isWhole = ![...withoutRow].some((day) => day <= done.newest);
    const pass = isPass ? dayOf(this.#now) : catchingUp.lastPass();
    return { succeededAt: this.#run.deps.clock.now(), revisedOn: isWhole ? pass : undefined };
  }
}

type WantedDays = Awaited<ReturnType<typeof wantedDays>>;

/**
 * Determines the days to fetch, newest first: `unknown` days were never answered, and `withoutRow` are those days of the revision
 * pass that have no row. As a separate function it frees the rows that it reads before the run waits; hundreds of runs do so.
 */
async function wantedDays(run: Run, collector: DayCollector<unknown>, isThorough: boolean, now: Instant) {
  const { org, deps } = run;
  const { name, isCurrent } = collector.dataset;
  const rules = rulesFor(run, collector);
  const newest = newestAskedAt(now, rules);
  const checked = checkedFrom(run, collector, newest);
  const from = earlier(checked.revised, checked.needed);
  const stored = await deps.history.readDataset(org.name, name, isCurrent === undefined ? undefined : from);
  const { days: known, revisedOn: lastPass, succeededAt } = stored;
  // Once a day, and again on demand, because the operator then expects a change.
  const isPass = lastPass !== dayOf(now) || isThorough;
  const historyStart = firstDay(run, collector, newest, known);
  const answered =
    rules.emptyIsIdle === true ? withIdleDays(known, settledUntil(lastPass, now, rules)) : known;
  const covered =
    isCurrent === undefined
      ? answered
      : withoutDays(answered, await outdatedDays(run, collector, checked, known));
  const pass = { newest, historyStart, isPass, lastPass };
  const newestAgain = isPass ? passLength(run, collector, lastPass, now) : 1;
  const { days: toFetch, passDays } = daysToFetch({ ...pass, covered, newestAgain, rules, now });
  return {
    ...pass,
    toFetch,
    succeededAt,
    unknown: toFetch.filter((day) => !covered.has(day)),
    withoutRow: new Set([...passDays].filter((day) => covered.has(day) && !covered.isFilled(day))),
    catchingUp: createCatchingUp({
      rules,
      covered: answered,
      lastPass,
      putLastPass: (day) => deps.history.putRevisedOn(org.name, name, day),
    }),
  };
}

/** The number of newest days that a revision pass fetches again. */
function passLength(
  run: Run,
  collector: DayCollector<unknown>,
  lastPass: Day | undefined,
  now: Instant,
): number {
  const today = dayOf(now);
  return revisionPassDays(comparedDaysOf(run, collector), lastPass === today ? undefined : lastPass, today);
}

/** How many of the newest days are fetched again once a day. */
function comparedDaysOf(run: Run, collector: DayCollector<unknown>): number {
  const days = rulesFor(run, collector).revisedFor ?? run.deps.revisionDays;
  return Math.min(days, limitsOf(run, collector)?.revisionDays ?? days);
}

/** The fetch limits of an expensive dataset on the organization's platform. */
function limitsOf(run: Run, collector: DayCollector<unknown>) {
  return collector.expensive && limitsUnder(collector.expensive, rulesFor(run, collector));
}

/** The platform's rules for the days of a collector's dataset: when they appear, and how long they change. */
function rulesFor({ org }: Run, { dataset }: DayCollector<unknown>): DayRules {
  return dayRulesOf(org, dataset.name);
}

/** Fetches a window; returns the failure as a value. */
async function request(
  run: Run,
  collector: DayCollector<unknown>,
  { window, retries }: Ask,
): Promise<FetchedDays<unknown> | PlatformError> {
  const source = retries ? run.source : withRequests(run.source, { retryOn: 'throttled' });
  try {
    const reader = await readerFor(run.platform, collector.dataset, 'fetchDays');
    const fetched = await reader.fetchDays(source, window, run.org);
    // The store uses NaN for a figure that is known to be unusable, and a page would show an infinite one.
    if (!isFiniteThroughout([...fetched.rows.values()]))
      throw new Error('a row with an amount that is not a finite number');
    return fetched;
  } catch (thrown) {
    if (thrown instanceof IncompleteListing) {
      const notes = { rejected: thrown.rejected, remarks: [] };
      for (const watcher of run.watchers) watcher.noted?.(notes);
    }
    return failureOf(thrown, run.deps.log);
  }
}

function isFiniteThroughout(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isFiniteThroughout);
}

/** Logs each day once, when it is first set aside. */
function logSetAside(
  { org, deps }: Run,
  { dataset }: DayCollector<unknown>,
  before: FetchMemory,
  after: FetchMemory,
  failed: ReadonlyMap<Day, PlatformError>,
): void {
  const who = { org: org.name, dataset: dataset.name };
  const days = [...after.setAside.keys()].filter((day) => !before.setAside.has(day)).sort();
  const [first] = days;
  if (first !== undefined) {
    const error = failed.get(first)?.message;
    deps.log.warn('Days set aside because they fail by themselves', { ...who, days: days.join(' '), error });
  }
}

/** The first day to fetch. */
function firstDay(run: Run, collector: DayCollector<unknown>, newest: Day, known: KnownDays): Day {
  const { deps, org } = run;
  const expensive = limitsOf(run, collector);
  const now = deps.clock.now();
  const first = firstWithin(firstDayOf(deps, now), now, rulesFor(run, collector));
  if (expensive === undefined) return first;
  const expensiveFirst = deps.expensiveFrom ?? firstExpensiveDay(expensive, newest, known, org);
  return later(expensiveFirst, first);
}

/** From which days on rows are fetched again if they were made with other settings. */
interface CheckedFrom {
  /** The first day of the revision window. */
  readonly revised: Day;
  /** The first day that the settings need: such a row is fetched again only if it lacks what they need. */
  readonly needed: Day;
}

function checkedFrom(run: Run, collector: DayCollector<unknown>, newest: Day): CheckedFrom {
  const { org, deps } = run;
  const expensive = limitsOf(run, collector);
  return {
    revised: deps.expensiveFrom ?? addDays(newest, 1 - (expensive?.revisionDays ?? deps.revisionDays)),
    needed: addDays(newest, 1 - (expensive?.neededDays?.(org) ?? 0)),
  };
}

/** The known days whose rows were made with other settings and are fetched again. */
async function outdatedDays(
  { org, deps }: Run,
  { dataset: { isCurrent, isSufficient } }: DayCollector<unknown>,
  { revised, needed }: CheckedFrom,
  known: StoredDays,
): Promise<ReadonlySet<Day>> {
  const outdated = new Set<Day>();
  for (const day of known.keys()) {
    if (!known.isFilled(day) || (day < revised && day < needed)) continue;
    // A row of many people takes long to parse.
    await deps.clock.slices.next();
    const row = known.get(day);
    const isOutdated =
      (day >= needed && isSufficient?.(row, org) === false) ||
      (day >= revised && isCurrent?.(row, org) === false);
    if (isOutdated) outdated.add(day);
  }
  return outdated;
}

/** Stores the answer about some days, and tells the watchers. */
async function saveDays(
  { org, deps, watchers, retired }: Run,
  { dataset: { name, parts, isCurrent } }: DayCollector<unknown>,
  fetched: FetchedDays<unknown>,
  answer: Pick<AnsweredDays, 'days' | 'completes'>,
): Promise<void> {
  let kept: KeptBeside = {};
  for (const watcher of watchers) kept = { ...kept, ...watcher.toStore?.(fetched) };
  // The settings may have changed during the request: data that may no longer be kept must not return.
  if (retired()) return;
  const stored = await deps.history.putDays(org.name, name, {
    ...answer,
    ...kept,
    parts,
    rows: fetched.rows,
    orgId: fetched.orgId,
    at: deps.clock.now(),
    isCurrent: (row) => isCurrent?.(row, org) ?? true,
  });
  if (!retired()) for (const watcher of watchers) watcher.stored?.(fetched, stored);
}

function logBehind(run: Run, collector: DayCollector<unknown>, newest: Day): void {
  run.deps.log.info('Newest day not finished by the platform yet; its clock or data is behind', {
    org: run.org.name,
    collector: collector.name,
    newest,
  });
}
