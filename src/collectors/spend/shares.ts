import { addDays, type Day, daysFrom } from '../../catalog/day.ts';
import type { Sample } from '../../catalog/family.ts';
import type { View } from '../../catalog/view.ts';
import { preciseSum } from '../counts.ts';
import { tokensDataset } from '../tokens/dataset.ts';
import { mergedTiers, modelsOf, type TieredModel } from '../tokens/models.ts';
import { creditsOn } from './credits.ts';

const BASELINE_DAYS = 14;
/** With fewer known days, there is no baseline. */
const MIN_BASELINE_DAYS = 7;

type ModelSample = Sample<'model' | 'tier'>;

/** The credits of some days, above zero, in total and by model. */
interface Usage {
  readonly total: number;
  readonly models: readonly TieredModel[];
}

interface Comparison {
  readonly ofDay: Usage | undefined;
  readonly before: Usage | undefined;
  /** The number of known days before. */
  readonly knownBefore: number;
}

/** Each model's share of the day's credits, 0 for models of the baseline alone; undefined on a day without credits. */
export function sharesByModel(view: View, day: Day): readonly ModelSample[] | undefined {
  const { ofDay, before } = view.ofDay(compare, day);
  return ofDay && sharesOf(ofDay, before?.models);
}

/** Each model's share of the credits of the 14 days before, 0 for models that are new on the day. */
export function baselineSharesByModel(view: View, day: Day): readonly ModelSample[] | undefined {
  const { ofDay, before, knownBefore } = view.ofDay(compare, day);
  if (knownBefore < MIN_BASELINE_DAYS) return undefined;
  return before && sharesOf(before, ofDay?.models);
}

/** Both families need the same two usages. */
function compare(view: View, day: Day): Comparison {
  const known = knownDays(view, day);
  return { ofDay: usageOf(view, [day]), before: usageOf(view, known), knownBefore: known.length };
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

function usageOf(view: View, days: readonly Day[]): Usage | undefined {
  const used = days.filter((day) => isUsed(view, day));
  if (used.length === 0) return undefined;
  return {
    total: preciseSum(used.map((day) => creditsOn(view, day) ?? 0)),
    models: mergedTiers(used.flatMap((day) => modelsOf(view, day) ?? [])),
  };
}

function sharesOf({ total, models }: Usage, others: readonly TieredModel[] = []): readonly ModelSample[] {
  const unused = others.map((model) => ({ ...model, credits: 0 }));
  return mergedTiers([...models, ...unused]).map(({ model, tier, credits = 0 }) => ({
    labels: { model, tier },
    value: Math.min(credits / total, Number.MAX_VALUE),
  }));
}
