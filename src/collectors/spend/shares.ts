import { addDays, type Day, daysFrom } from '../../catalog/day.ts';
import { type Sample, UNKNOWN } from '../../catalog/family.ts';
import type { View } from '../../catalog/view.ts';
import { breakdown, OTHER, plus, preciseSum } from '../counts.ts';
import { tokensDataset } from '../tokens/dataset.ts';
import { areNamed, modelsOf, nameOf } from '../tokens/models.ts';
import { creditsOn } from './credits.ts';

const BASELINE_DAYS = 14;
/** With fewer known days, there is no baseline. */
const MIN_BASELINE_DAYS = 7;

type ModelSample = Sample<'model' | 'tier'>;

/** The credits of a model on the day and on the days before; NaN where they, or a part of them, are unknown. */
interface ModelCredits {
  readonly model: string;
  readonly tier: string;
  readonly ofDay: number;
  readonly before: number;
}

interface Comparison {
  /** The credits of the day and of the days before, above zero; undefined if none are known by model. */
  readonly ofDay: number | undefined;
  readonly before: number | undefined;
  /** The number of known days before. */
  readonly knownBefore: number;
  readonly models: readonly ModelCredits[];
}

/** Each model's share of the day's credits, 0 for models of the baseline alone; undefined on a day without credits. */
export function sharesByModel(view: View, day: Day): readonly ModelSample[] | undefined {
  const { ofDay, models } = view.ofDay(compare, day);
  return ofDay === undefined ? undefined : sharesOf(models, 'ofDay', ofDay);
}

/** Each model's share of the credits of the 14 days before, 0 for models that are new on the day. */
export function baselineSharesByModel(view: View, day: Day): readonly ModelSample[] | undefined {
  const { before, knownBefore, models } = view.ofDay(compare, day);
  if (before === undefined || knownBefore < MIN_BASELINE_DAYS) return undefined;
  return sharesOf(models, 'before', before);
}

/** Both families need the credits of the same models. */
function compare(view: View, day: Day): Comparison {
  const known = knownDays(view, day);
  const today = isUsed(view, day) ? [day] : [];
  const earlier = known.filter((of) => isUsed(view, of));
  return {
    ofDay: totalOf(view, today),
    before: totalOf(view, earlier),
    knownBefore: known.length,
    models: creditsByModel(view, today, earlier),
  };
}

/** The days of the baseline whose credits are known in total and by model. */
function knownDays(view: View, day: Day): readonly Day[] {
  const days = daysFrom(addDays(day, -BASELINE_DAYS), addDays(day, -1));
  return days.filter((of) => creditsOn(view, of) === 0 || isUsed(view, of));
}

/** Whether a day has credits and a breakdown of them by model. */
function isUsed(view: View, day: Day): boolean {
  const { credits = 0, byModel } = view.row(tokensDataset, day) ?? {};
  return credits > 0 && byModel !== undefined;
}

function totalOf(view: View, days: readonly Day[]): number | undefined {
  return days.length === 0 ? undefined : preciseSum(days.map((day) => creditsOn(view, day) ?? 0));
}

/** The credits of every model that is used on the day or before, sorted by model and tier. */
function creditsByModel(view: View, today: readonly Day[], earlier: readonly Day[]): readonly ModelCredits[] {
  const ofDay = today.map((day) => listedOn(view, day));
  const before = earlier.map((day) => listedOn(view, day));
  const models = new Map([...ofDay, ...before].flatMap((listed) => [...listed.models]));
  const entries = [...models].map(([key, { model, tier }]) => ({
    model,
    tier,
    ofDay: sumOver(ofDay, key),
    before: sumOver(before, key),
  }));
  return breakdown<ModelCredits>(entries, {
    keyOf: ({ model, tier }) => JSON.stringify([model, tier]),
    merge: (one, other) => ({
      ...one,
      ofDay: plus(one.ofDay, other.ofDay),
      before: plus(one.before, other.before),
    }),
    weightOf: ({ ofDay: now, before: then }) => plus(now || 0, then || 0),
    restOf: (entry) => ({ ...entry, model: OTHER, tier: OTHER }),
  });
}

/** A day's models by name and tier, and the credits of one that it does not list. */
function listedOn(view: View, day: Day) {
  const models = modelsOf(view, day) ?? [];
  return {
    models: new Map(models.map((entry) => [nameOf(entry), entry])),
    // Credits without a usable name can be those of any model that the day does not list.
    others: areNamed(models) ? 0 : UNKNOWN,
  };
}

/** The credits of a model on some days. */
function sumOver(days: readonly ReturnType<typeof listedOn>[], name: string): number {
  const amounts = days.map(({ models, others }) => {
    const { credits = 0 } = models.get(name) ?? { credits: others };
    return credits ?? UNKNOWN;
  });
  return amounts.reduce(plus, 0);
}

function sharesOf(
  models: readonly ModelCredits[],
  part: 'ofDay' | 'before',
  total: number,
): readonly ModelSample[] {
  return models.map(({ model, tier, [part]: credits }) => ({
    labels: { model, tier },
    value: Math.min(credits / total, Number.MAX_VALUE),
  }));
}
