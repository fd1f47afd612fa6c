import { addDays, type Day, weekdayOf } from '../../catalog/day.ts';
import type { View } from '../../catalog/view.ts';
import { activityDataset } from '../activity/dataset.ts';
import { amountOn, measuredIn, measureOf } from '../spend/measure.ts';
import { ofEach, quotientOf, sumOfBoth } from '../statistics.ts';
import { tokensDataset } from '../tokens/dataset.ts';
import { type TieredModel, modelsOf as tieredModelsOf } from '../tokens/models.ts';
import { amountsByTeam } from '../users/team-amounts.ts';
import { WEEK_DAYS } from '../weeks.ts';
import type { ModelUsage, Usage } from './decompose.ts';

/** Money is explained in hundredths of its currency. */
export const HUNDREDTHS = 100;

/** The daily means of some days. */
export interface Side {
  /** The requested days that are known. */
  readonly days: readonly Day[];
  readonly usage: Usage;
  /** Credits, or hundredths of a currency, by model, where `usage` has no models because their tokens are unknown. */
  readonly amounts?: ReadonlyMap<string, number> | undefined;
  /** Tokens read from the cache for each input token; undefined if unknown. */
  readonly cached: number | undefined;
  /** By published team, for teams that are published on every day with use; undefined without such a team. */
  readonly teams: ReadonlyMap<string, number> | undefined;
}

/** Two groups of days, by the same definitions. */
export interface Sides {
  readonly before: Side;
  readonly after: Side;
  /** Whether each weekday counts as much on one side as on the other. */
  readonly sameWeekdays: boolean;
  /** The currency, if cost is explained because the platform counts no credits; undefined for credits. */
  readonly currency?: string | undefined;
}

/** A day and how much it counts; the weights of a side add up to 1. */
type Weighted = readonly (readonly [day: Day, weight: number])[];

/**
 * The daily means before and after. Weekdays that only one side has are left out, if there are others; days whose amount is
 * unknown always. Undefined if a side has no day left.
 */
export function sidesOf(view: View, before: readonly Day[], after: readonly Day[]): Sides | undefined {
  const measure = measureOf(view);
  const known = [before, after].map((days) =>
    days.filter((day) => amountOn(view, day, measure) !== undefined),
  );
  const [earlier = [], later = []] = known;
  if (earlier.length === 0 || later.length === 0) return undefined;
  const weekdays = new Set(
    earlier.map(weekdayOf).filter((one) => later.some((day) => weekdayOf(day) === one)),
  );
  const sameWeekdays = weekdays.size > 0;
  const side = (days: readonly Day[]) =>
    sideOf(view, sameWeekdays ? byWeekday(days, weekdays) : days.map((day) => [day, 1 / days.length]));
  const [one, other] = [side(earlier), side(later)];
  const tiersOf = Map.groupBy(
    new Set([one, other].flatMap(({ usage, amounts }) => [...((usage.models ?? amounts)?.keys() ?? [])])),
    nameOf,
  );
  const named = (of: Side): Side => ({
    ...of,
    usage: { ...of.usage, models: withNames(of.usage.models, tiersOf) },
    amounts: withNames(of.amounts, tiersOf),
  });
  return {
    before: named(one),
    after: named(other),
    sameWeekdays,
    currency: measuredIn(view),
  };
}

/** A model and its tier: a label value has no line break. */
function keyOf({ model, tier }: TieredModel): string {
  return `${model}\n${tier}`;
}

function nameOf(key: string): string {
  return key.slice(0, key.lastIndexOf('\n'));
}

/** Each model by its name, with the tier where it has several. */
function withNames<Of>(
  models: ReadonlyMap<string, Of> | undefined,
  tiersOf: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, Of> | undefined {
  const named = (key: string) =>
    tiersOf.get(nameOf(key))?.length === 1 ? nameOf(key) : key.replace(/\n([^\n]*)$/, ' ($1)');
  return models && new Map([...models].map(([key, usage]) => [named(key), usage]));
}

function byWeekday(days: readonly Day[], weekdays: ReadonlySet<number>): Weighted {
  const used = days.filter((day) => weekdays.has(weekdayOf(day)));
  const counts = Map.groupBy(used, weekdayOf);
  return used.map((day) => [day, 1 / weekdays.size / (counts.get(weekdayOf(day))?.length ?? 1)]);
}

function sideOf(view: View, days: Weighted): Side {
  const mean = (figure: (day: Day) => number | undefined): number | undefined => {
    let sum = 0;
    for (const [day, weight] of days) {
      const value = figure(day);
      if (value === undefined) return undefined;
      sum += weight * value;
    }
    return sum;
  };
  const tokensOf = (day: Day) => view.row(tokensDataset, day)?.tokens;
  const isPart = view.settings.money?.hasPartialSessions === true;
  const models = modelsOf(view, days);
  return {
    days: days.map(([day]) => day),
    usage: {
      credits: mean((day) => unitsOf(view, amountOn(view, day, measureOf(view)))) ?? Number.NaN,
      people: mean((day) => view.row(activityDataset, day)?.dailyUsers),
      sessions: isPart ? undefined : mean((day) => view.row(activityDataset, day)?.sessions),
      tokens: mean((day) => sumOfBoth(tokensOf(day)?.input, tokensOf(day)?.output)),
      models: haveTokens(models) ? models : undefined,
    },
    amounts: models && !haveTokens(models) ? amountsIn(models) : undefined,
    cached: quotientOf(
      mean((day) => tokensOf(day)?.cacheRead),
      mean((day) => tokensOf(day)?.input),
    ),
    teams: teamsOf(view, days),
  };
}

/** An amount in the explained unit: credits, or hundredths of a currency. */
function unitsOf<Amount extends number | undefined>(view: View, amount: Amount) {
  return amount === undefined || measuredIn(view) === undefined ? amount : amount * HUNDREDTHS;
}

/** The credits of each model. */
export function amountsIn(models: ReadonlyMap<string, ModelUsage>): ReadonlyMap<string, number> {
  return new Map([...models].map(([model, { credits }]) => [model, credits]));
}

/** Whether the tokens of each model are known. */
function haveTokens(models: Usage['models']): boolean {
  return models !== undefined && [...models.values()].every(({ tokens }) => !Number.isNaN(tokens));
}

/** The tokens of a model; NaN if they are unknown. */
function modelsOf(view: View, days: Weighted): Usage['models'] {
  const models = new Map<string, ModelUsage>();
  for (const [day, weight] of days) {
    const entries = usableModels(view, day);
    if (entries === undefined) return undefined;
    for (const { key, credits, tokens } of entries) {
      const known = models.get(key) ?? { credits: 0, tokens: 0 };
      models.set(key, {
        credits: known.credits + weight * credits,
        tokens: known.tokens + weight * tokens,
      });
    }
  }
  return models;
}

/** A day's models; none on a day without use; undefined unless the amount of each is known. */
function usableModels(view: View, day: Day) {
  const measure = measureOf(view);
  const entries = tieredModelsOf(view, day);
  if (entries === undefined) return amountOn(view, day, measure) === 0 ? [] : undefined;
  return ofEach(entries, (entry) => {
    const { [measure]: amount, input, output } = entry;
    const credits = unitsOf(view, amount ?? undefined);
    if (credits == null) return undefined;
    return { key: keyOf(entry), credits, tokens: (input ?? Number.NaN) + (output ?? Number.NaN) };
  });
}

function teamsOf(view: View, days: Weighted): Side['teams'] {
  const teams = new Map<string, { sum: number; days: number }>();
  let used = 0;
  for (const [day, weight] of days) {
    const samples = amountsByTeam(view, day, measureOf(view));
    if (samples === undefined) return undefined;
    // No team has any of a total of 0.
    if (samples.length > 0) used++;
    for (const { labels, value } of samples) {
      if (Number.isNaN(value)) continue;
      const team = teams.get(labels.team) ?? { sum: 0, days: 0 };
      teams.set(labels.team, { sum: team.sum + weight * unitsOf(view, value), days: team.days + 1 });
    }
  }
  const shown = [...teams].filter(([, team]) => team.days === used);
  return shown.length === 0 ? undefined : new Map(shown.map(([name, { sum }]) => [name, sum]));
}

/** The same weekday of each of the four weeks before a day, oldest first. */
export function fourWeeksBefore(day: Day): readonly Day[] {
  return [4, 3, 2, 1].map((weeks) => addDays(day, -WEEK_DAYS * weeks));
}
