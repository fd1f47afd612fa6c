import { addDays, type Day, daysFrom, monthBeforeSoFar, monthSoFar, restOfMonth } from '../../catalog/day.ts';
import { type Sample, UNKNOWN } from '../../catalog/family.ts';
import type { View } from '../../catalog/view.ts';
import { breakdown, OTHER, plus, preciseSum } from '../counts.ts';
import { explain } from '../explain/explain.ts';
import { fourWeeksBefore } from '../explain/usage.ts';
import { monthForecast, monthToDate } from '../month.ts';
import { figure } from '../samples.ts';
import { tokenFamilies as tokens } from '../tokens/collector.ts';
import { tokensDataset } from '../tokens/dataset.ts';
import { areNamed, haveAmounts, keyOfModel, modelsOf } from '../tokens/models.ts';
import { weeksOf } from '../weeks.ts';
import { budgetInCredits, budgetInReported } from './costs.ts';
import { DAYS, inCredits, inMeasure } from './families.ts';
import { amountOn, amountsIn, expectationOf, measureOf, unusualOn } from './measure.ts';

/** The credits of a week, in total and of each model. */
export const creditWeeks = weeksOf(tokensDataset, tokens.dailyCredits, 'agent_platform_credits_trailing_7d');
export const modelWeeks = weeksOf(tokensDataset, tokens.dailyCreditsByModel);

export const { credits: creditsMonthToDateBaseline, cost: costMonthToDateBaseline } = inMeasure(
  (view, day) => {
    const sameDay = monthBeforeSoFar(day, view.settings.contract?.periodStarts).at(-1);
    return figure(sameDay && monthToDate(amountsIn(view, measureOf(view)), sameDay));
  },
  {
    name: 'agent_platform_credits_month_to_date_baseline',
    help: 'Standard Credits from the first day of the billing month before (UTC) to the same day of that month, or to its last day if it is shorter.',
    aggregation: 'additive',
  },
);

export const creditsMonthBudgetLasts = inCredits(budgetDays, {
  name: 'agent_platform_credits_month_budget_lasts',
  help: 'Days after the newest complete UTC day for which the rest of the monthly budget lasts at the pace of the forecast, 0 if it is spent.',
  unit: 'days',
  source: `${DAYS}; setting orgs[].budget`,
  aggregation: 'ratio',
});

function budgetDays(view: View, day: Day): number | undefined {
  const { periodStarts } = view.settings.contract ?? {};
  const reported = budgetInReported(view);
  const budget = reported ?? budgetInCredits(view, day);
  const amounts = amountsIn(view, reported === undefined ? 'credits' : 'cost');
  const toDate = budget === undefined ? undefined : monthToDate(amounts, day);
  const forecast = toDate === undefined ? undefined : monthForecast(amounts, day);
  if (budget === undefined || toDate === undefined || forecast === undefined) return undefined;
  if (toDate >= budget) return 0;
  const remaining = restOfMonth(day, periodStarts).length;
  const pace =
    remaining === 0 ? toDate / monthSoFar(day, periodStarts).length : (forecast - toDate) / remaining;
  return pace > 0 ? Math.min((budget - toDate) / pace, Number.MAX_VALUE) : undefined;
}

export const { credits: dailyCreditsExpected, cost: dailyCostExpected } = inMeasure(
  (view, day) => figure(expectationOf(view, day)?.amount),
  {
    name: 'agent_platform_daily_credits_expected',
    help: 'Expected Standard Credits of the newest complete UTC day: the median of the same weekday in the preceding eight weeks.',
  },
);

export const { credits: dailyCreditsExpectedUpper, cost: dailyCostExpectedUpper } = inMeasure(
  (view, day) => figure(expectationOf(view, day)?.upper),
  {
    name: 'agent_platform_daily_credits_expected_upper',
    help: 'Standard Credits above which the newest complete UTC day is unusual for its weekday.',
  },
);

export const { credits: dailyCreditsUnusual, cost: dailyCostUnusual } = inMeasure(
  (view, day) => figure(unusualOn(view, day)),
  {
    name: 'agent_platform_daily_credits_unusual',
    help: 'Standard Credits of the newest complete UTC day if the day is unusual, otherwise 0.',
    aggregation: 'additive',
  },
);

/** A share of each model. */
const ofModel = {
  labels: ['model', 'tier'],
  unit: 'ratio',
  source: 'stored days of tokens: byModel.credits, credits',
  breakdown: true,
  part: 'models',
} as const;

export const { credits: creditsShareByModel, cost: costShareByModel } = inMeasure(sharesByModel, {
  ...ofModel,
  name: 'agent_platform_credits_share_by_model',
  help: 'Share of the Standard Credits of the newest complete UTC day, by model and tier.',
});

export const { credits: creditsShareByModelBaseline, cost: costShareByModelBaseline } = inMeasure(
  baselineSharesByModel,
  {
    ...ofModel,
    name: 'agent_platform_credits_share_by_model_baseline',
    help: 'Share of the Standard Credits of the 14 days before the newest complete UTC day, by model and tier.',
  },
);

export const { credits: creditsChangeByCause, cost: costChangeByCause } = inMeasure(changeOn, {
  name: 'agent_platform_credits_change_by_cause',
  help: 'Change of the Standard Credits of the newest complete UTC day from the mean of the same weekday in the preceding four weeks, by cause. The causes add up to the change.',
  labels: ['cause'],
  fixedLabels: ['cause'],
  source:
    'stored days of tokens: credits, tokens.input, tokens.output, byModel; of activity: dailyUsers, sessions',
  aggregation: 'additive',
});

function changeOn(view: View, day: Day) {
  const { what = [], currency } = explain(view, fourWeeksBefore(day), [day]) ?? {};
  const word = currency === undefined ? 'credits' : 'cost';
  const samples: Sample<'cause'>[] = [];
  let isDivided = false;
  for (const { name, credits: value } of what) {
    samples.push({ labels: { cause: name.replace('credits', word) }, value });
    isDivided ||= name.startsWith('tokens_per_');
  }
  // Until the people of the day are known, tokens are a cause of their own, which a range of the day would go on to add.
  if (isDivided) samples.push({ labels: { cause: 'tokens' }, value: 0 });
  return samples.length === 0 ? undefined : samples;
}

const BASELINE_DAYS = 14;
/** Minimum number of known days for a baseline. */
const MIN_BASELINE_DAYS = 7;

type ModelSample = Sample<'model' | 'tier'>;

/** The amount of a model on the day and on the days before; NaN where it, or a part of it, is unknown. */
interface ModelAmounts {
  readonly model: string;
  readonly tier: string;
  readonly ofDay: number;
  readonly before: number;
}

/** The amounts of a model while they are added up. */
type Sums = { -readonly [Name in keyof ModelAmounts]: ModelAmounts[Name] };

/** Each model's share of the day in its measure, 0 for models of the baseline alone; undefined on a day without use. */
export function sharesByModel(view: View, day: Day): readonly ModelSample[] | undefined {
  const { ofDay, models } = view.ofDay(compare, day);
  return ofDay === undefined ? undefined : sharesOf(models, 'ofDay', ofDay);
}

/** Each model's share of the 14 days before, 0 for models that are new on the day. */
export function baselineSharesByModel(view: View, day: Day): readonly ModelSample[] | undefined {
  const { before, knownBefore, models } = view.ofDay(compare, day);
  if (before === undefined || knownBefore < MIN_BASELINE_DAYS) return undefined;
  return sharesOf(models, 'before', before);
}

/** Computes the amounts once for both families. */
function compare(view: View, day: Day) {
  const known = knownDays(view, day);
  const today = isUsed(view, day) ? [day] : [];
  const earlier = known.filter((of) => isUsed(view, of));
  return {
    /** The amount of the day and of the days before, above zero; undefined if none are known by model. */
    ofDay: totalOf(view, today),
    before: totalOf(view, earlier),
    /** The number of known days before. */
    knownBefore: known.length,
    models: amountsByModel(view, today, earlier),
  };
}

/** The days of the baseline whose amount is known in total and by model. */
function knownDays(view: View, day: Day): readonly Day[] {
  const days = daysFrom(addDays(day, -BASELINE_DAYS), addDays(day, -1));
  return days.filter((of) => amountOn(view, of, measureOf(view)) === 0 || isUsed(view, of));
}

/** Whether a day was used and has a breakdown of it by model. */
function isUsed(view: View, day: Day): boolean {
  const measure = measureOf(view);
  const { [measure]: amount = 0, byModel } = view.row(tokensDataset, day) ?? {};
  return amount > 0 && byModel !== undefined && haveAmounts(byModel, measure);
}

function totalOf(view: View, days: readonly Day[]): number | undefined {
  const measure = measureOf(view);
  return days.length === 0 ? undefined : preciseSum(days.map((day) => amountOn(view, day, measure) ?? 0));
}

/** The amounts of every model that is used on the day or before, sorted by model and tier. */
function amountsByModel(view: View, today: readonly Day[], earlier: readonly Day[]): readonly ModelAmounts[] {
  // Summed in place before they get a key, which costs more: weeks of days have the same few models.
  const byModel = new Map<string, Map<string, Sums>>();
  const entries = () => [...byModel.values()].flatMap((byTier) => [...byTier.values()]);
  const listed = new Map<Day, ReadonlySet<Sums>>();
  const measure = measureOf(view);

  function add(day: Day, part: 'ofDay' | 'before'): void {
    const models = modelsOf(view, day) ?? [];
    const seen = new Set<Sums>();
    for (const { model, tier, [measure]: amount = 0 } of models) {
      const byTier = byModel.get(model) ?? new Map<string, Sums>();
      byModel.set(model, byTier);
      const entry = byTier.get(tier) ?? { model, tier, ofDay: 0, before: 0 };
      byTier.set(tier, entry);
      entry[part] = plus(entry[part], amount ?? UNKNOWN);
      seen.add(entry);
    }
    if (!areNamed(models, measure)) listed.set(day, seen);
  }
  for (const day of today) add(day, 'ofDay');
  for (const day of earlier) add(day, 'before');
  // Usage without a usable name can belong to any model that the day does not list.
  for (const [day, seen] of listed) {
    const part = today.includes(day) ? 'ofDay' : 'before';
    for (const entry of entries()) if (!seen.has(entry)) entry[part] = UNKNOWN;
  }
  return breakdown<ModelAmounts>(entries(), {
    keyOf: keyOfModel,
    merge: (one, other) => ({
      ...one,
      ofDay: plus(one.ofDay, other.ofDay),
      before: plus(one.before, other.before),
    }),
    weightOf: ({ ofDay, before }) => plus(ofDay || 0, before || 0),
    restOf: (entry) => ({ ...entry, model: OTHER, tier: OTHER }),
  });
}

function sharesOf(
  models: readonly ModelAmounts[],
  part: 'ofDay' | 'before',
  total: number,
): readonly ModelSample[] {
  return models.map(({ model, tier, [part]: amount }) => ({
    labels: { model, tier },
    value: Math.min(amount / total, Number.MAX_VALUE),
  }));
}
