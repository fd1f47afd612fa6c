import type { Instant } from '../../../src/catalog/day.ts';
import type { createRules } from './rules.ts';
import { type Dataset, HOUR, type World } from './world.ts';

type Rules = ReturnType<typeof createRules>;

/** The facts that determine one published sample. */
interface Claim {
  readonly family: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** The day for which the family's dataset is published. */
  readonly index: number;
}

/** `true`: as the platform says; `early`: a provisional zero of a day that gets a row; `open`: a figure being revised. */
type Verdict = 'true' | 'zero' | 'early' | 'open' | 'false';

/** The required value of a figure; `open` while it is being revised, undefined if it is not known. */
type Figure = number | 'open' | undefined;

/** The maximum age of a revision that has not been fetched yet. */
const PASS_MS = 26 * HOUR;
const MAIN: Readonly<Record<string, Dataset>> = {
  daily_credits: 'tokens',
  daily_tool_calls: 'tools',
  daily_sessions: 'activity',
  daily_active_users: 'activity',
};
const PARTS: Readonly<Record<string, Dataset>> = {
  daily_credits_by_model: 'tokens',
  daily_tool_calls_by_tool: 'tools',
};
const OF_DATASET: Readonly<Record<string, Dataset>> = {
  daily_tokens: 'tokens',
  daily_credits_unattributed: 'tokens',
  daily_mcp_users: 'tools',
  daily_skill_invocations: 'tools',
  daily_slash_command_invocations: 'tools',
  daily_hook_invocations: 'tools',
  daily_web_users: 'tools',
  daily_active_users_mean_7d: 'activity',
  daily_active_users_mean_7d_baseline: 'activity',
  daily_messages: 'activity',
  tool_calls_sum_7d: 'tools',
  tool_calls_sum_7d_baseline: 'tools',
  usage_per_active_user_7d: 'activity',
};

/** The share of a main number that belongs to the first of two models (tools). */
export function firstPart(main: number, both: boolean): number {
  return both ? Math.ceil(main * 0.6) : main;
}

/** The dataset described by a family of the world. */
export function datasetOf(family: string): Dataset {
  return MAIN[family] ?? PARTS[family] ?? OF_DATASET[family] ?? 'tokens';
}

/** Reckons once for each number. */
function remembered<Value>(reckon: (of: number) => Value): (of: number) => Value {
  const known = new Map<number, Value>();
  return (of) => {
    const found = known.get(of);
    if (found !== undefined || known.has(of)) return found as Value;
    const made = reckon(of);
    known.set(of, made);
    return made;
  };
}

/**
 * Checks figures using the world alone. `rules` are those of the last time that the platform could be reached: according
 * to them a zero may have been provisional. `calm` is the last time at which everything could be requested, `before` that
 * of the previous poll. `isPast` distinguishes a backfill, which has no provisional days, from a live page.
 */
export function createTruth(
  world: World,
  at: Instant,
  rules: Rules,
  {
    calm,
    before,
    isPast = false,
  }: { readonly calm: Instant; readonly before: Instant; readonly isPast?: boolean },
) {
  const since = calm - PASS_MS;

  /** The values with which a dataset may be published for a day if nothing was requested later than required. */
  function versions(dataset: Dataset, index: number) {
    return world.rowsWithin(dataset, index, since, at).filter((version) => version !== undefined);
  }

  function ofDay({ family, labels, value, index }: Claim): Verdict {
    const dataset = datasetOf(family);
    const isIdleZero = value === 0 && !(family in PARTS);
    if (!world.isActive(dataset, index)) return isIdleZero ? 'zero' : 'false';
    const rows = versions(dataset, index);
    if (family in PARTS) {
      const isFirst = Object.values(labels).includes('a');
      const parts = rows.map(({ main, both }) => {
        const first = firstPart(main, both);
        return isFirst ? first : main - first;
      });
      return parts.includes(value) ? 'true' : 'false';
    }
    if (family in MAIN && rows.some(({ main }) => main === value)) return 'true';
    if (family === 'daily_credits_unattributed' && value === 0) return 'true';
    return isIdleZero && rules.stateOf(dataset, index) === 'provisional' ? 'early' : 'false';
  }

  /** The main number of a day; `open` if several are correct, undefined if it cannot be known. */
  function mainOf(dataset: Dataset, index: number): Figure {
    const state = index < 0 ? 'unknown' : rules.stateOf(dataset, index);
    // A day that failed is requested again within at most a day: until then it may be missing.
    if (state === 'row' && at < world.badUntil(dataset, index) + PASS_MS) return 'open';
    return state === 'unknown' || (isPast && state === 'provisional')
      ? undefined
      : trueMainOf(dataset, index);
  }

  function trueMainOf(dataset: Dataset, index: number): Figure {
    if (index < 0) return undefined;
    if (!world.isActive(dataset, index)) return 0;
    if (rules.stateOf(dataset, index) === 'provisional') return 'open';
    const values = new Set(versions(dataset, index).map(({ main }) => main));
    return values.size === 1 ? [...values][0] : 'open';
  }

  const creditsOf = remembered((index) => mainOf('tokens', index));
  const noiseUntil = remembered((index) => noiseOf(workingUntil(index)));

  const trueMains = new Map<Dataset, (index: number) => Figure>();

  function sumOf(indices: readonly number[], dataset: Dataset = 'tokens'): Figure {
    const trueMain = trueMains.get(dataset) ?? remembered((index) => trueMainOf(dataset, index));
    trueMains.set(dataset, trueMain);
    const all = indices.map(trueMain);
    if (all.includes(undefined)) return undefined;
    return all.includes('open') ? 'open' : (all as number[]).reduce((sum, one) => sum + one, 0);
  }

  function weeklyMean(index: number): Figure {
    const sum = sumOf(span(index, 7), 'activity');
    return typeof sum === 'number' ? sum / 7 : sum;
  }

  function meanBaseline(index: number): Figure {
    const weeks = [1, 2, 3, 4].map((week) => {
      const days = span(index - 7 * week, 7).map((day) => mainOf('activity', day));
      if (days.includes(undefined)) return undefined;
      return days.includes('open') ? 'open' : (days as number[]).reduce((sum, one) => sum + one, 0) / 7;
    });
    const known = weeks.filter((week) => week !== undefined);
    if (known.includes('open')) return 'open';
    if (known.length < 2) return undefined;
    return (known as number[]).reduce((sum, one) => sum + one, 0) / known.length;
  }

  /** The newest day is published first: rows that have come since the previous poll may still be missing. */
  function isNew(day: number): boolean {
    return world.rowAt('tokens', day, before) === undefined && rules.stateOf('tokens', day) === 'row';
  }

  /** The share of the first or the second model in the credits of some days, of which this many must be known. */
  function share(days: readonly number[], isFirst: boolean, least: number): Figure {
    let [part, total, known] = [0, 0, 0];
    for (const day of days) {
      const credits = creditsOf(day);
      if (credits === 'open' || (isNew(day) && days.length > 1)) return 'open';
      if (credits === undefined) continue;
      known += 1;
      if (credits === 0) continue;
      const both = new Set(versions('tokens', day).map((version) => version.both));
      if (both.size > 1) return 'open';
      const first = firstPart(credits, both.has(true));
      part += isFirst ? first : credits - first;
      total += credits;
    }
    return known < least || total === 0 ? undefined : part / total;
  }

  function forecast(index: number): Figure {
    const soFar = sumOf(monthTo(index));
    if (typeof soFar !== 'number') return soFar;
    const rest = expectedOf(index, restOfMonth(index));
    return rest === 'open' ? 'open' : soFar + rest;
  }

  /** What is expected of days after one, from what is known up to it. */
  function expectedOf(index: number, days: readonly number[]): number | 'open' {
    const each = days.map((ahead) => expectedOn(7 * index + (ahead % 7)));
    return each.includes('open') ? 'open' : (each as number[]).reduce((sum, one) => sum + one, 0);
  }

  /** What is expected of a weekday after a day, both in one number. */
  const expectedOn = remembered((both): number | 'open' => {
    const [index, weekday] = [Math.floor(both / 7), both % 7];
    const before: number[] = [];
    for (let back = index; back >= 0; back--) if (back % 7 === weekday) before.push(back);
    const noise = noiseUntil(index);
    const usual = knownOf(before.filter((day) => day > index - 42));
    const known = knownOf(before);
    if (noise === 'open' || usual === 'open' || known === 'open') return 'open';
    const share = workingUntil(index).length === 0 ? 0 : Math.min(1 / 3, 1 - 3 * noise);
    const quiet = quietUntil(index);
    const last = before.flatMap((day) => {
      const credits = creditsOf(day);
      const counts = typeof credits === 'number' && credits >= median(usual) * share && !quiet.has(day);
      return counts ? [credits] : [];
    });
    return last.slice(0, 4).reduce((sum, one) => sum + one, 0) / Math.min(4, last.length);
  });

  /** The days of seven in a row that are quiet together, among the 42 until a day; none of these may be open. */
  const quietUntil = remembered((index): ReadonlySet<number> => {
    const [working, noise] = [workingUntil(index), noiseUntil(index)];
    const days = span(index, 42);
    const credits = new Map(days.map((day) => [day, creditsOf(day)]));
    let usual = 0;
    for (let weekday = 0; weekday < 7; weekday++) {
      const own = days.filter((day) => day % 7 === weekday).map((day) => credits.get(day));
      usual += median(own.filter((one) => typeof one === 'number'));
    }
    const share = noise === 'open' ? 0 : Math.min(1 / 3, 1 - (3 * noise) / Math.sqrt(working.length));
    const weeks = days.map((last) => span(last, 7)).filter((week) => week.every((day) => days.includes(day)));
    const quiet = weeks.filter((week) => {
      const amounts = week.map((day) => credits.get(day)).filter((one) => typeof one === 'number');
      return amounts.length === 7 && amounts.reduce((sum, one) => sum + one, 0) < share * usual;
    });
    return new Set(quiet.flat());
  });

  /** The standard error of the rest of a month, from what twelve past forecasts of as many days missed. */
  const errorOf = remembered((index): Figure => {
    const ahead = restOfMonth(index);
    let squares = 0;
    for (let week = 0; week < 12 && ahead.length > 0; week++) {
      const origin = index - ahead.length - 7 * week;
      const next = ahead.map((_, nth) => origin + 1 + nth);
      const used = sumOf(next);
      if (used === undefined || used === 'open') return used;
      const said = expectedOf(origin, next);
      if (said === 'open') return 'open';
      const error = used === said ? 0 : Math.log(used / said);
      squares += Math.min(Math.log(3), Math.abs(error)) ** 2;
    }
    return Math.sqrt((squares / 12) * (13 / 12));
  });

  function bound(index: number, sign: 1 | -1): Figure {
    const soFar = sumOf(monthTo(index));
    if (typeof soFar !== 'number') return soFar;
    const rest = expectedOf(index, restOfMonth(index));
    const error = errorOf(index);
    if (rest === 'open' || typeof error !== 'number') return rest === 'open' ? 'open' : error;
    return soFar + rest * Math.exp(sign * 1.4 * error);
  }

  function knownOf(days: readonly number[]): readonly number[] | 'open' {
    const known = days.map(creditsOf).filter((credits) => credits !== undefined);
    return known.includes('open') ? 'open' : (known as number[]);
  }

  /** The working days of the eight weeks until a day, by weekday. */
  function workingUntil(index: number): readonly (readonly number[])[] | 'open' {
    const days = [0, 1, 2, 3, 4, 5, 6].map((back) =>
      Array.from({ length: 8 }, (_, week) => index - back - 7 * week),
    );
    const weekdays = days.map(knownOf);
    if (weekdays.includes('open') || days.flat().some((day) => isNew(day))) return 'open';
    const known = (weekdays as number[][]).filter((weekday) => weekday.length >= 3);
    const most = Math.max(...known.map(median));
    if (most > 0) return known.filter((weekday) => median(weekday) >= most / 2);
    const used = known.flat().filter((credits) => credits > 0);
    return used.length === 0 ? [] : [used];
  }

  /** How far working days are from their weekday's median, in standard deviations; infinite if none is known. */
  function noiseOf(working: readonly (readonly number[])[] | 'open'): number | 'open' {
    if (working === 'open') return 'open';
    if (working.length === 0) return Number.POSITIVE_INFINITY;
    const apart = working.flatMap((weekday) =>
      weekday.map((credits) => Math.abs(credits - median(weekday)) / median(weekday)),
    );
    return 1.4826 * median(apart);
  }

  function expected(index: number): Figure {
    const weeks = Array.from({ length: 8 }, (_, week) => creditsOf(index - 7 * (week + 1)));
    const known = weeks.filter((credits) => credits !== undefined);
    if (known.includes('open')) return 'open';
    if (known.length < 3) return undefined;
    return median(known as number[]);
  }

  function upper(index: number): Figure {
    const middle = expected(index);
    if (typeof middle !== 'number') return middle;
    const working = workingUntil(index - 1);
    const noise = noiseOf(working);
    if (working === 'open' || noise === 'open') return 'open';
    return working.length === 0
      ? 0
      : Math.max(middle, median(working.flat())) * Math.max(1.75, 1 + 4 * noise);
  }

  /** The credits of the first or the second model on some days. */
  function ofModel(days: readonly number[], isFirst: boolean): Figure {
    if (days.some(isNew)) return 'open';
    let sum = 0;
    for (const day of days) {
      const credits = trueMainOf('tokens', day);
      if (typeof credits !== 'number') return credits;
      const both = new Set(versions('tokens', day).map((version) => version.both));
      if (both.size > 1) return 'open';
      const first = firstPart(credits, both.has(true));
      sum += isFirst ? first : credits - first;
    }
    return sum;
  }

  /** Credits per person and day of activity over four weeks. */
  function creditsPerPerson(index: number): Figure {
    const [credits, people] = [sumOf(span(index, 28)), sumOf(span(index, 28), 'activity')];
    if (credits === undefined || people === undefined) return undefined;
    return credits === 'open' || people === 'open' ? 'open' : credits / people;
  }

  /** The main number of a dataset in a week, per main number of the activity, as which the people count too. */
  function perPerson(index: number, dataset: Dataset): Figure {
    const [sum, people] = [sumOf(span(index, 7), dataset), sumOf(span(index, 7), 'activity')];
    if (sum === undefined || people === undefined || people === 0) return undefined;
    return sum === 'open' || people === 'open' ? 'open' : sum / people;
  }

  function unusual(index: number): Figure {
    const [credits, limit, month] = [creditsOf(index), upper(index), sumOf(span(index, 28))];
    if ([credits, limit, month].includes(undefined)) return undefined;
    if (typeof credits !== 'number' || typeof limit !== 'number' || typeof month !== 'number') return 'open';
    return credits > limit && credits > month / 28 ? credits : 0;
  }

  /** The days of the month before, up to the same day. */
  function monthBefore(index: number): number[] {
    const [days, last] = [monthTo(index), index - monthTo(index).length];
    const before = monthTo(last).reverse();
    return before.slice(0, days.length);
  }

  function monthTo(index: number): number[] {
    const day = Number(world.dayAt(index).slice(8));
    return Array.from({ length: day }, (_, back) => index - back);
  }

  function restOfMonth(index: number): number[] {
    const month = world.dayAt(index).slice(0, 7);
    const rest: number[] = [];
    for (let ahead = index + 1; world.dayAt(ahead).startsWith(month); ahead++) rest.push(ahead);
    return rest;
  }

  const span = (index: number, days: number) => Array.from({ length: days }, (_, back) => index - back);
  const spans: Readonly<Record<string, (index: number) => readonly number[]>> = {
    credits_month_to_date: monthTo,
    credits_trailing_7d: (index) => span(index, 7),
    credits_trailing_28d: (index) => span(index, 28),
    credits_trailing_7d_baseline: (index) => span(index - 7, 7),
    credits_month_to_date_baseline: monthBefore,
  };
  const figures: Readonly<Record<string, (index: number, isFirst: boolean, kind?: string) => Figure>> = {
    credits_per_active_user_28d: creditsPerPerson,
    usage_per_active_user_7d: (index, _, kind) =>
      perPerson(index, kind === 'tool_calls' ? 'tools' : 'activity'),
    credits_month_to_date: (index) => sumOf(monthTo(index)),
    credits_trailing_7d: (index) => sumOf(span(index, 7)),
    credits_trailing_28d: (index) => sumOf(span(index, 28)),
    credits_trailing_7d_baseline: (index) => sumOf(span(index - 7, 7)),
    credits_month_to_date_baseline: (index) => sumOf(monthBefore(index)),
    daily_credits_unusual: unusual,
    credits_by_model_sum_7d: (index, isFirst) => ofModel(span(index, 7), isFirst),
    credits_by_model_sum_7d_baseline: (index, isFirst) => ofModel(span(index - 7, 7), isFirst),
    tool_calls_sum_7d: (index) => sumOf(span(index, 7), 'tools'),
    tool_calls_sum_7d_baseline: (index) => sumOf(span(index - 7, 7), 'tools'),
    credits_month_forecast: forecast,
    credits_month_forecast_lower: (index) => bound(index, -1),
    credits_month_forecast_upper: (index) => bound(index, 1),
    daily_credits_expected: expected,
    daily_credits_expected_upper: upper,
    credits_share_by_model: (index, isFirst) => share([index], isFirst, 1),
    credits_share_by_model_baseline: (index, isFirst) => share(span(index - 1, 14), isFirst, 7),
    daily_active_users_mean_7d: weeklyMean,
    daily_active_users_mean_7d_baseline: meanBaseline,
  };

  return {
    judge(claim: Claim): Verdict {
      const right = figures[claim.family];
      if (right === undefined) return ofDay(claim);
      const value = right(claim.index, Object.values(claim.labels).includes('a'), claim.labels['kind']);
      if (value === 'open') return 'open';
      return value !== undefined && Math.abs(value - claim.value) <= 1e-6 * value ? 'true' : 'false';
    },
    /** A figure from several days; undefined for a figure of one day. */
    figureOf: ({ family, index, labels }: Claim): Figure =>
      figures[family]?.(index, Object.values(labels).includes('a'), labels['kind']),
    /** The sums that must be published for a day because every day they need is known. */
    owed: (index: number) =>
      Object.keys(spans).filter((family) =>
        spans[family]?.(index).every((needed) => creditsOf(needed) !== undefined),
      ),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}
