import type { DayCollector, FetchedDays } from '../catalog/collector.ts';
import { addDays, type Day, yesterdayOf } from '../catalog/day.ts';
import { isAboutToday } from '../platform/today.ts';
import type { PlatformError } from '../runtime/errors.ts';
import { failureOf } from './failure.ts';
import { firstDayOf } from './first-day.ts';
import { describeRevisions } from './revision.ts';
import type { Run } from './runner.ts';
import { firstSparingDay, wantedDays } from './wanted.ts';
import { daysDescending, MAX_WINDOW_DAYS, nextWindow, type WindowSizer } from './windows.ts';

/** How many days the platform's clock may be behind before the difference is an error. */
const MAX_DAYS_BEHIND = 2;

/** After how many failed windows in a row a run gives up. */
const MAX_FAILURES = 3;

/** The failures that concern a window's own days rather than the platform as a whole. */
const LOCAL_REASONS: ReadonlySet<string> = new Set(['server', 'schema', 'limit']);

/** The newest days that are asked for again, in case they were revised. */
export interface Again {
  /** 1 asks for the newest day alone. */
  readonly days: number;
  /** Called once they have all been answered. */
  answered?(): Promise<void>;
}

/**
 * Asks for the wanted days window by window, newest first, and publishes as they come. Throws the first
 * failure after everything else that could be had was stored.
 */
export async function runDays(
  run: Run,
  collector: DayCollector<unknown>,
  sizer: WindowSizer,
  again: Again,
): Promise<void> {
  const { org, deps } = run;
  const { sparing } = collector;
  const dataset = collector.dataset.name;
  const now = deps.clock.now();
  const history = await deps.history.read(org.name);
  const known = history.days(dataset);
  let newest = yesterdayOf(now);
  const historyStart = firstDay(run, collector, newest, known);
  const covered = currentDays(run, collector, newest, known);
  let isAgainDue = again.answered !== undefined;
  const { days: all, ofPass } = wantedDays({
    ...{ newest, historyStart, covered, again: again.days },
    ...{ isPass: isAgainDue, lastPass: history.revisedOn(dataset), now },
  });
  let wanted = all;
  const past = countOf(wanted, covered);
  // What fits one window is soon there.
  const work =
    past > MAX_WINDOW_DAYS ? deps.progress?.begin({ org: org.name, dataset, total: past }) : undefined;
  let failure: PlatformError | undefined;
  let failuresInRow = 0;
  let unpublished = false;

  for (;;) {
    const window = nextWindow(wanted, Math.min(sizer.days, sparing?.windowDays ?? sizer.days));
    if (window === undefined || run.stopping()) break;
    const days = daysDescending(window.from, window.to);
    try {
      const fetched = await collector.fetch(run.source, window, org);
      await store(run, collector, days, fetched);
      work?.advance(countOf(days, covered));
      sizer.answered(fetched.rows.size, fetched.bytes);
      failuresInRow = 0;
      // The newest window shows at once; older ones change little and are published together.
      if (window.to === newest) await deps.publisher.publish(org, [collector.name]);
      else unpublished = true;
      run.tried();
    } catch (thrown) {
      const error = failureOf(thrown, deps.log);
      const behind = isAboutToday(error) && window.to === newest;
      if (behind && newest > addDays(yesterdayOf(now), -MAX_DAYS_BEHIND)) {
        newest = addDays(newest, -1);
        wanted = wanted.filter((day) => day <= newest);
        noteBehind(run, collector, newest);
        continue;
      }
      if (days.length > 1 && (error.tooLarge || error.reason === 'timeout')) {
        sizer.tooLarge(days.length);
        continue;
      }
      run.tried();
      failure ??= error;
      failuresInRow++;
      // What names the time of the next try will not be had before it, whatever is asked.
      const isLocal = LOCAL_REASONS.has(error.reason) && error.retryAt === undefined;
      if (!isLocal || failuresInRow >= MAX_FAILURES) break;
    }
    wanted = wanted.filter((day) => day < window.from || day > window.to);
    if (isAgainDue && failure === undefined && !wanted.some((day) => ofPass.has(day))) {
      isAgainDue = false;
      await again.answered?.();
      // What was asked for again and still has no row is settled now.
      unpublished = true;
    }
  }

  work?.end();
  if (unpublished) await deps.publisher.publish(org, [collector.name]);
  if (failure !== undefined) throw failure;
}

/** The first day to ask for. */
function firstDay(
  { deps }: Run,
  { sparing }: DayCollector<unknown>,
  newest: Day,
  known: ReadonlyMap<Day, unknown>,
): Day {
  const first = firstDayOf(deps, deps.clock.now());
  if (sparing === undefined) return first;
  const sparingFirst = deps.sparingFrom ?? firstSparingDay(sparing, newest, known);
  return sparingFirst > first ? sparingFirst : first;
}

/**
 * The covered days less those whose rows were made with other settings than the present ones. Of those only
 * the newest are asked for again, which may be revised anyway.
 */
function currentDays(
  { org, deps }: Run,
  { dataset, sparing }: DayCollector<unknown>,
  newest: Day,
  known: ReadonlyMap<Day, unknown>,
): ReadonlyMap<Day, unknown> {
  const { isCurrent } = dataset;
  if (isCurrent === undefined) return known;
  const from = deps.sparingFrom ?? addDays(newest, 1 - (sparing?.revisionDays ?? deps.revisionDays));
  return new Map([...known].filter(([day, row]) => row === undefined || day < from || isCurrent(row, org)));
}

async function store(
  run: Run,
  collector: DayCollector<unknown>,
  days: readonly Day[],
  fetched: FetchedDays<unknown>,
): Promise<void> {
  const { org, deps } = run;
  const dataset = collector.dataset.name;
  // The settings may have changed while it was asked: what may no longer be kept must not come back.
  if (run.retired()) return;
  const changes = await deps.history.putDays(org.name, dataset, {
    days: fetched.lost === 0 ? days : days.filter((day) => fetched.rows.has(day)),
    rows: fetched.rows,
    orgId: fetched.orgId,
    at: deps.clock.now(),
  });
  if (run.retired()) return;
  run.note(fetched);
  // A row that other settings have made is no earlier word of the platform; a day that was shown as idle was one.
  const revisions = [
    ...changes.filter(({ before }) => collector.dataset.isCurrent?.(before, org) ?? true),
    ...[...fetched.rows]
      .filter(([day]) => deps.publisher.showsIdle(org.name, collector.name, day))
      .map(([day, after]) => ({ day, before: collector.dataset.idle, after })),
  ];
  if (revisions.length === 0) return;
  deps.instruments.dayRevisions({ org: org.name, dataset, count: revisions.length });
  deps.log.info('The platform revised days that were already known', {
    org: org.name,
    dataset,
    ...describeRevisions(collector.dataset, revisions),
  });
}

function countOf(days: readonly Day[], covered: ReadonlyMap<Day, unknown>): number {
  return days.filter((day) => !covered.has(day)).length;
}

function noteBehind(run: Run, collector: DayCollector<unknown>, newest: Day): void {
  run.deps.log.info('The platform is not yet done with the newest day: its clock or its data is behind', {
    org: run.org.name,
    collector: collector.name,
    newest,
  });
}
