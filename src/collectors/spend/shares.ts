import { addDays, type Day, daysFrom } from '../../catalog/day.ts';
import { type Sample, UNKNOWN } from '../../catalog/family.ts';
import type { View } from '../../catalog/view.ts';
import { breakdown, OTHER, plus, preciseSum } from '../counts.ts';
import { tokensDataset } from '../tokens/dataset.ts';
import { areNamed, haveAmounts, keyOfModel, modelsOf } from '../tokens/models.ts';
import { amountOn, measureOf } from './measure.ts';

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
