import { addDays, type Day, daysFrom } from '../../catalog/day.ts';
import type { Sample } from '../../catalog/family.ts';
import type { View } from '../../catalog/view.ts';
import { preciseSum } from '../counts.ts';
import { modelsOf } from '../tokens/models.ts';
import { creditsOn } from './credits.ts';

const BASELINE_DAYS = 14;
/** Under so many known days there is no baseline. */
const MIN_BASELINE_DAYS = 7;

type ModelSample = Sample<'model' | 'tier'>;

interface Credits {
  readonly total: number;
  /** By model and tier, each with its labels. */
  readonly byModel: ReadonlyMap<string, ModelSample>;
}

/** Each model's share of the day's credits, 0 for models of the baseline alone; undefined on a day without credits. */
export function sharesByModel(view: View, day: Day): readonly ModelSample[] | undefined {
  const credits = creditsOf(view, [day]);
  if (credits === undefined) return undefined;
  return sharesOf(credits, creditsOf(view, baselineDays(view, day)));
}

/** Each model's share of the credits of the 14 days before, 0 for models that are new on the day. */
export function baselineSharesByModel(view: View, day: Day): readonly ModelSample[] | undefined {
  const days = baselineDays(view, day);
  const baseline = days.length < MIN_BASELINE_DAYS ? undefined : creditsOf(view, days);
  return baseline && sharesOf(baseline, creditsOf(view, [day]));
}

/** The days of the baseline of which the credits are known in total and by model. */
function baselineDays(view: View, day: Day): readonly Day[] {
  return daysFrom(addDays(day, -BASELINE_DAYS), addDays(day, -1)).filter(
    (of) => creditsOn(view, of) === 0 || (creditsOn(view, of) !== undefined && modelsOf(view, of)),
  );
}

/** The credits of some days, in total and by model; undefined if there are none, or a breakdown is missing. */
function creditsOf(view: View, days: readonly Day[]): Credits | undefined {
  const byModel = new Map<string, ModelSample>();
  const totals = days.map((day) => creditsOn(view, day) ?? 0);
  const total = preciseSum(totals);
  if (total === 0) return undefined;
  for (const [index, day] of days.entries()) {
    if (totals[index] === 0) continue;
    const models = modelsOf(view, day);
    if (models === undefined) return undefined;
    for (const { model, tier, credits = 0 } of models) {
      const key = JSON.stringify([model, tier]);
      byModel.set(key, { labels: { model, tier }, value: (byModel.get(key)?.value ?? 0) + credits });
    }
  }
  return { total, byModel };
}

function sharesOf({ total, byModel }: Credits, others: Credits | undefined): readonly ModelSample[] {
  const shares = [...byModel.values()].map(({ labels, value }) => ({
    labels,
    value: Math.min(value / total, Number.MAX_VALUE),
  }));
  for (const [key, { labels }] of others?.byModel ?? []) {
    if (!byModel.has(key)) shares.push({ labels, value: 0 });
  }
  return shares;
}
