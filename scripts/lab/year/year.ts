import { endOf, startOf } from '../../../src/catalog/day.ts';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import type { Shown } from '../../../test/support/pipeline.ts';
import { createMemoryStore } from '../../../test/support/store.ts';
import { createExporter, dataDays } from './exporter.ts';
import { createRules } from './rules.ts';
import { createTruth, datasetOf } from './truth.ts';
import { createWorld, DATASETS, HOUR } from './world.ts';

/** The result of a year. */
export interface YearReport {
  /** Figures that were published or backfilled and are not true, with time and value. */
  readonly wrong: readonly string[];
  /** Days and sums that were published later, or earlier, than the rules allow. */
  readonly untimely: readonly string[];
  /** Figures that were compared, and those that could not be because of a pending revision. */
  readonly compared: number;
  readonly open: number;
  /** How often timeliness was checked, and how often a failure of the platform excused it. */
  readonly timely: number;
  readonly excused: number;
  /** Zeros of provisional days that got a row later, by dataset and day. */
  readonly early: ReadonlySet<string>;
  /** Those that were not corrected by the run that found their row. */
  readonly uncorrected: readonly string[];
  readonly revisions: number;
  /** Days without activity, by dataset: the actual ones, and those shown as zeros on live and past pages. */
  readonly idle: number;
  readonly liveZeros: number;
  readonly pastZeros: number;
}

interface YearOptions {
  readonly days: number;
  /** The interval of polls in hours; at most 24, so that there is one on every day. */
  readonly everyHours: number;
}

const NO_FIGURES = new Set(['data_day_timestamp_seconds', 'history_uncovered', 'org_info']);
/** Families that are medians of many days. */
const MEDIANS = new Set([
  'daily_credits_expected_upper',
  ...['', '_lower', '_upper'].map((bound) => `credits_month_forecast${bound}`),
]);
const DAY_MS = 24 * HOUR;
/** A backfill of the last weeks is tried at this interval. */
const PAST_EVERY = 37;
const PAST_DAYS = 20;
/** A day that fails by itself is tried again at least this often. */
const RETRIED_WITHIN_MS = 26 * HOUR;

/** Runs a year of a seed's world and scores every figure on the way. */
export async function liveThrough(seed: number, { days, everyHours }: YearOptions): Promise<YearReport> {
  const world = createWorld(seed, days);
  const clock = createFakeClock(world.start);
  const history = createMemoryStore();
  const wrong: string[] = [];
  const untimely: string[] = [];
  const early = new Set<string>();
  const corrected = new Set<string>();
  const zeros = { live: new Set<string>(), past: new Set<string>() };
  const count = { compared: 0, open: 0, timely: 0, excused: 0, revisions: 0 };
  let page: Shown = new Map();
  let calm = world.start;
  let truth = createTruth(world, calm, createRules(world, calm, calm), { calm, before: 0 });
  let truthBefore = truth;
  let pastTruth = truth;
  /** What the newest page shows wrongly, by family, if it is not the last one of its poll. */
  const between = new Map<string, string>();

  const badTimes = DATASETS.flatMap((dataset) =>
    Array.from({ length: world.days }, (_, index) => ({
      from: endOf(world.dayAt(index)),
      until: world.badUntil(dataset, index),
    })),
  ).filter(({ until }) => until > 0);

  function compare(shown: Shown, indexOf: (family: string) => number | undefined, kind: 'live' | 'past') {
    const known = kind === 'live' ? truth : pastTruth;
    for (const [family, samples] of shown) {
      if (NO_FIGURES.has(family)) continue;
      const index = indexOf(family) ?? -1;
      for (const { labels, value } of samples) {
        const claim = { family, labels, value, index };
        // During a poll, the figures published by the previous one may still be there.
        const now = known.judge(claim);
        const former = now === 'false' && kind === 'live' ? truthBefore.judge(claim) : now;
        // Days become known during a poll one by one, or unknown until they are fetched again: in between, a median of
        // many days is neither. What counts is the last page of the poll.
        const isBetween = MEDIANS.has(family) && truth.figureOf(claim) !== truthBefore.figureOf(claim);
        const verdict = former === 'false' && kind === 'live' && isBetween ? 'open' : former;
        count.compared += 1;
        const what = `${datasetOf(family)} ${world.dayAt(index)}`;
        if (verdict === 'zero') zeros[kind].add(what);
        else if (verdict === 'open') count.open += 1;
        else if (verdict === 'early' && kind === 'live') early.add(what);
        else if (verdict !== 'true') {
          wrong.push(
            `${kind} at ${timeOf(clock.now())}: ${family}${JSON.stringify(labels)} ${value} of ${what}`,
          );
        } else if (early.has(what)) corrected.add(what);
        if (!MEDIANS.has(family) || kind === 'past') continue;
        const last = verdict === 'false' ? wrong.pop() : undefined;
        if (last === undefined) between.delete(family);
        else between.set(family, last);
      }
    }
  }

  function createNext() {
    return createExporter({
      world,
      history,
      clock,
      onPage(next) {
        page = next;
        const newest = dataDays(next, world);
        compare(next, (family) => newest.get(datasetOf(family)), 'live');
      },
      onRevisions(revisions) {
        count.revisions += revisions;
      },
    });
  }

  /** Whether something fails, or failed so recently that not everything can have been requested again. */
  function isTroubled(at: number): boolean {
    const isOut = world.outages.some(({ from, to }) => at >= from && at < to);
    return isOut || badTimes.some(({ from, until }) => from <= at && at < until + RETRIED_WITHIN_MS);
  }

  function checkTime(at: number, rules: ReturnType<typeof createRules>): void {
    if (isTroubled(at)) {
      count.excused += 1;
      return;
    }
    count.timely += 1;
    const newest = dataDays(page, world);
    for (const dataset of DATASETS) {
      const [is, due] = [newest.get(dataset) ?? -1, rules.newestDay(dataset)];
      if (is !== due)
        untimely.push(`at ${timeOf(at)}: ${dataset} ${world.dayAt(is)}, not ${world.dayAt(due)}`);
    }
    for (const family of truth.owed(newest.get('tokens') ?? -1)) {
      if (!page.has(family)) untimely.push(`at ${timeOf(at)}: no ${family}`);
    }
    const newestOver = Math.floor((at - startOf(world.first)) / DAY_MS) - 1;
    const uncovered = page.get('history_uncovered') ?? [];
    for (const { labels, value } of uncovered) {
      const unknown = Array.from({ length: newestOver + 1 }, (_, index) => index).filter(
        (index) => rules.stateOf(labels['dataset'] as (typeof DATASETS)[number], index) === 'unknown',
      ).length;
      if (value !== unknown) untimely.push(`at ${timeOf(at)}: ${value} uncovered, not ${unknown}`);
    }
  }

  async function checkPast(at: number, rules: ReturnType<typeof createRules>, from: number): Promise<void> {
    const newest = Math.floor((at - startOf(world.first)) / DAY_MS) - 1;
    const brought = await exporter.past(world.dayAt(from), world.dayAt(newest));
    for (const [day, shown] of brought) compare(shown, () => world.indexOf(day), 'past');
    if (isTroubled(at)) return;
    // The timestamps of the newest two days may be in the future.
    for (let index = from; index < newest - 1; index++) {
      const families = brought.get(world.dayAt(index));
      for (const dataset of DATASETS) {
        const isThere = families?.has(MAIN[dataset]) === true;
        const state = rules.stateOf(dataset, index);
        if (isThere !== (state === 'row' || state === 'idle')) {
          untimely.push(`past at ${timeOf(at)}: ${dataset} ${world.dayAt(index)} ${state}, ${isThere}`);
        }
      }
    }
  }

  let exporter = createNext();
  let isDown = false;
  let ticks = 0;
  let rules = createRules(world, world.start, world.start);
  let passAt = world.start;
  let before = world.start;
  for (let at = world.start; at <= world.end; at += everyHours * HOUR, ticks += 1) {
    clock.set(at);
    const outage = world.outageAt(at);
    if (outage?.isOurs === true) {
      isDown = true;
      continue;
    }
    if (isDown) exporter = createNext();
    isDown = false;
    // Without a request, the previous state decides.
    if (outage === undefined) {
      // The first poll of a day that reaches the platform is the day's pass.
      if (Math.floor(at / DAY_MS) !== Math.floor(passAt / DAY_MS)) passAt = at;
      rules = createRules(world, at, passAt);
    }
    truthBefore = truth;
    if (!isTroubled(at)) calm = at;
    truth = createTruth(world, at, rules, { calm, before });
    pastTruth = createTruth(world, at, rules, { calm, before, isPast: true });
    await exporter.poll();
    wrong.push(...between.values());
    between.clear();
    if (outage === undefined) before = at;
    checkTime(at, rules);
    if (ticks % PAST_EVERY === PAST_EVERY - 1) {
      const newest = Math.floor((at - startOf(world.first)) / DAY_MS) - 1;
      await checkPast(at, rules, newest - PAST_DAYS);
    }
  }
  zeros.past.clear();
  await checkPast(clock.now(), rules, 0);
  const idle = DATASETS.reduce((sum, dataset) => {
    for (let index = 0; index < world.days - 2; index++) {
      if (!world.isActive(dataset, index) && rules.stateOf(dataset, index) === 'idle') sum += 1;
    }
    return sum;
  }, 0);
  return {
    ...{ wrong, untimely, early, idle, ...count },
    uncorrected: [...early].filter((what) => !corrected.has(what)),
    liveZeros: zeros.live.size,
    pastZeros: zeros.past.size,
  };
}

const MAIN = { tokens: 'daily_credits', tools: 'daily_tool_calls', activity: 'daily_sessions' } as const;

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
}
