import type { Day } from '../../catalog/day.ts';
import type { Measure } from '../../catalog/money.ts';
import type { View } from '../../catalog/view.ts';
import { breakdown, OTHER, plusSent, UNKNOWN_TIER } from '../counts.ts';
import { type ModelTokens, tokensDataset } from './dataset.ts';

/** A model's usage with its published tier. */
export type TieredModel = ModelTokens & { readonly tier: string };

/** The entry for usage of a model without a usable name: it may belong to any model. */
export const SOME_MODEL: ModelTokens = {
  model: OTHER,
  tier: OTHER,
  credits: null,
  input: null,
  output: null,
};

/** Whether the model of all usage is known, that is, no entry lacks a usable name. */
export function areNamed(entries: readonly ModelTokens[], measure: Measure = 'credits'): boolean {
  return !entries.some(
    ({ model, tier, [measure]: amount }) => model === OTHER && tier === OTHER && amount === null,
  );
}

/** Whether the platform sent the credits, or the cost, of models: a breakdown of other figures alone says nothing about them. */
export function haveAmounts(entries: readonly ModelTokens[], measure: Measure): boolean {
  return entries.length === 0 || entries.some(({ [measure]: amount }) => amount !== undefined);
}

/**
 * A day's usage by model and tier; undefined if the day's row lacks the breakdown. A missing tier is the model's last
 * known one, otherwise the one that was learnt first since, otherwise `unknown`.
 */
export function modelsOf(view: View, day: Day): readonly TieredModel[] | undefined {
  return view.ofDay(tieredModels, day);
}

function tieredModels(view: View, day: Day): readonly TieredModel[] | undefined {
  const entries = view.row(tokensDataset, day)?.byModel;
  if (entries === undefined) return undefined;
  if (isMerged(entries)) return entries;
  const untiered = new Set(entries.filter(({ tier }) => tier === undefined).map(({ model }) => model));
  const tiers = nearestTiers(untiered, entries, view, day);
  return mergedTiers(
    entries.map((entry) => ({ ...entry, tier: entry.tier ?? tiers.get(entry.model) ?? UNKNOWN_TIER })),
  );
}

/** Whether entries need neither a tier nor merging: nearly all days as stored, and a projection reads a month of them. */
function isMerged(entries: readonly ModelTokens[]): entries is readonly TieredModel[] {
  return entries.every(
    ({ model, tier }, index) =>
      tier !== undefined && (index === 0 || (entries[index - 1]?.model ?? '') < model),
  );
}

/** Merges the entries of each model and tier. */
function mergedTiers(entries: readonly TieredModel[]): readonly TieredModel[] {
  return mergedModels(entries).map((entry) => ({ ...entry, tier: entry.tier ?? UNKNOWN_TIER }));
}

/** The tier of each model in `models`: the newest known of that day or an earlier one, otherwise the oldest of a later one. */
function nearestTiers(
  models: ReadonlySet<string>,
  entries: readonly ModelTokens[],
  view: View,
  day: Day,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  collectTiers(found, models, entries);
  for (const rowsOf of [view.rowsBefore, view.rowsAfter]) {
    if (found.size === models.size) break;
    for (const row of rowsOf(tokensDataset, day)) {
      collectTiers(found, models, row.byModel ?? []);
      if (found.size === models.size) break;
    }
  }
  return found;
}

/** Adds the tiers of one day; of several tiers of a model, the one that was used most. */
function collectTiers(
  found: Map<string, string>,
  models: ReadonlySet<string>,
  entries: readonly ModelTokens[],
): void {
  const best = new Map<string, { tier: string; used: number }>();
  for (const { model, tier, ...sent } of entries) {
    if (tier === undefined || !models.has(model) || found.has(model)) continue;
    const used = useOf(sent);
    if (used > (best.get(model)?.used ?? -1)) best.set(model, { tier, used });
  }
  for (const [model, { tier }] of best) found.set(model, tier);
}

/** Merges the entries of each model and tier. */
export function mergedModels(entries: readonly ModelTokens[]): readonly ModelTokens[] {
  return breakdown<ModelTokens>(distinctModels(entries), {
    keyOf: keyOfModel,
    merge: mergeTokens,
    weightOf: useOf,
    restOf: (entry) => ({ ...entry, model: OTHER, tier: OTHER }),
  });
}

/** A key that is unique for a model and tier, whatever characters they contain. */
export function keyOfModel({
  model,
  tier,
}: {
  readonly model: string;
  readonly tier?: string | undefined;
}): string {
  return JSON.stringify([model, tier]);
}

/** The credits of an entry; its cost where the platform counts none. */
function useOf({ credits, cost }: Pick<ModelTokens, Measure>): number {
  return credits ?? cost ?? 0;
}

/** Merges entries before they get a key, which costs more than merging: weeks of days have the same few models. */
function distinctModels(entries: readonly ModelTokens[]): readonly ModelTokens[] {
  const byModel = new Map<string, Map<string | undefined, ModelTokens>>();
  for (const entry of entries) {
    const byTier = byModel.get(entry.model) ?? new Map<string | undefined, ModelTokens>();
    byModel.set(entry.model, byTier);
    const before = byTier.get(entry.tier);
    byTier.set(entry.tier, before === undefined ? entry : mergeTokens(before, entry));
  }
  return [...byModel.values()].flatMap((byTier) => [...byTier.values()]);
}

function mergeTokens(one: ModelTokens, other: ModelTokens): ModelTokens {
  return {
    model: one.model,
    tier: one.tier,
    credits: plusSent(one.credits, other.credits),
    cost: plusSent(one.cost, other.cost),
    listCost: plusSent(one.listCost, other.listCost),
    billedCost: plusSent(one.billedCost, other.billedCost),
    input: plusSent(one.input, other.input),
    output: plusSent(one.output, other.output),
  };
}
