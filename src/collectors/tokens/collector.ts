import type { DayCollector } from '../../catalog/collector.ts';
import type { Day } from '../../catalog/day.ts';
import { dayFamily, type Sample, UNKNOWN } from '../../catalog/family.ts';
import type { Measure, OtherCost } from '../../catalog/money.ts';
import type { View } from '../../catalog/view.ts';
import { sumOfUsable } from '../counts.ts';
import { figure, parts } from '../samples.ts';
import { quotientOf, sumOfBoth } from '../statistics.ts';
import { tableOf } from '../table.ts';
import { usersDataset } from '../users/dataset.ts';
import { type TokensRow, tokensDataset } from './dataset.ts';
import { haveAmounts, modelsOf, type TieredModel } from './models.ts';

const tokens = tableOf(tokensDataset);
/** A difference below this share of the total is a rounding error. */
const RESIDUE = 1e-6;

/** The families about tokens. */
export const tokenFamilies = {
  dailyCredits: tokens.figure('credits', {
    name: 'agent_platform_daily_credits',
    help: 'Standard Credits consumed on the newest complete UTC day.',
    unit: 'credits',
  }),

  dailyCreditsByModel: dayFamily({
    name: 'agent_platform_daily_credits_by_model',
    help: 'Standard Credits consumed on the newest complete UTC day, by model and tier. The sum can differ from the total: see agent_platform_daily_credits_unattributed.',
    labels: ['model', 'tier'],
    unit: 'credits',
    source: 'tokens: byModel.credits',
    aggregation: 'additive',
    breakdown: true,
    part: 'models',
    samplesOf: (view, day) => amountsByModel(view, day, 'credits'),
  }),

  dailyTokens: tokens.parts('kind', byKind, {
    name: 'agent_platform_daily_tokens',
    help: 'Raw tokens of the newest complete UTC day, by kind. Do not sum over kinds: cached tokens can also count as input tokens.',
    unit: 'tokens',
    members: 'tokens.input, tokens.output, tokens.cacheRead, tokens.cacheWrite',
  }),

  dailyTokensByModel: dayFamily({
    name: 'agent_platform_daily_tokens_by_model',
    help: 'Raw input and output tokens of the newest complete UTC day, by model and tier. The sum can differ from the total where tokens belong to no model.',
    labels: ['model', 'tier', 'kind'],
    fixedLabels: ['kind'],
    unit: 'tokens',
    source: 'tokens: byModel.input, byModel.output',
    aggregation: 'additive',
    breakdown: true,
    part: 'models',
    samplesOf: tokensByModel,
  }),

  dailyCreditsUnattributed: tokens.samples({
    name: 'agent_platform_daily_credits_unattributed',
    help: 'Standard Credits of the newest complete UTC day minus the sum of a breakdown. Can be negative. Do not sum over breakdowns.',
    unit: 'credits',
    members: 'credits, byModel.credits, creditsByUser',
    labels: ['breakdown'],
    fixedLabels: ['breakdown'],
    samplesOf: (row, view, day) => parts('breakdown', unattributed(row, peoplesCredits(row, view, day))),
  }),

  dailyCacheReadRatio: tokens.samples({
    name: 'agent_platform_daily_cache_read_ratio',
    help: 'Tokens read from the prompt cache per input token on the newest complete UTC day. It exceeds 1 if cached tokens are not counted as input.',
    unit: 'ratio',
    members: 'tokens.cacheRead, tokens.input',
    aggregation: 'ratio',
    samplesOf: ({ tokens: { input, cacheRead } = {} }) => figure(quotientOf(cacheRead, input)),
  }),

  dailyCreditsPerMillionTokens: tokens.samples({
    name: 'agent_platform_daily_credits_per_million_tokens',
    help: 'Standard Credits per million input and output tokens on the newest complete UTC day.',
    unit: 'credits per million tokens',
    members: 'credits, tokens.input, tokens.output',
    aggregation: 'ratio',
    samplesOf({ credits, tokens: { input, output } = {} }) {
      const total = sumOfBoth(input, output);
      return figure(quotientOf(credits, total && total / 1e6));
    },
  }),
};

/** The organization's consumption of Standard Credits and tokens. */
export const tokensCollector: DayCollector<TokensRow> = {
  name: 'tokens',
  schedule: 'analytics',
  enabledByDefault: true,
  dataset: tokensDataset,
  description: 'Standard Credits and tokens consumed, by model.',
  families: Object.values(tokenFamilies),
};

function byKind({ tokens: { input, output, cacheRead, cacheWrite } = {} }: TokensRow) {
  return { input, output, cache_read: cacheRead, cache_write: cacheWrite };
}

type SamplesOfModel<Label extends string> = (model: TieredModel) => readonly Sample<Label>[];

/** The samples of all models; undefined if there are models but none has the figure. */
function byModel<Label extends string>(
  view: View,
  day: Day,
  samplesOf: SamplesOfModel<Label>,
): readonly Sample<Label>[] | undefined {
  const models = modelsOf(view, day);
  const samples = models?.flatMap(samplesOf);
  return samples?.length === 0 && models?.length !== 0 ? undefined : samples;
}

/** A day's credits, or an amount that the platform reports, by model and tier; undefined if the day's row lacks it. */
export function amountsByModel(view: View, day: Day, measure: Measure | OtherCost) {
  return byModel(view, day, ({ model, tier, [measure]: amount }): readonly Sample<'model' | 'tier'>[] =>
    amount === undefined ? [] : [{ labels: { model, tier }, value: amount ?? UNKNOWN }],
  );
}

function tokensByModel(view: View, day: Day) {
  const models = modelsOf(view, day) ?? [];
  const isSent = (kind: 'input' | 'output') => models.some((one) => one[kind] !== undefined);
  const sent = { input: isSent('input'), output: isSent('output') };
  return byModel(view, day, (model) => tokensOf(model, sent));
}

/** A kind of tokens that no model has is unknown if models have another kind. */
function tokensOf(
  { model, tier, input, output }: TieredModel,
  sent: { readonly input: boolean; readonly output: boolean },
): readonly Sample<'model' | 'tier' | 'kind'>[] {
  if (!sent.input && !sent.output) return [];
  const kinds = parts('kind', { input: sent.input ? input : null, output: sent.output ? output : null });
  return (kinds ?? []).map(({ labels, value }) => ({ labels: { model, tier, kind: labels.kind }, value }));
}

/** The part of a day's credits that belongs to people: from the bill, or else from the reports of people. */
function peoplesCredits({ creditsByUser }: TokensRow, { row, settings }: View, day: Day) {
  const isBill = settings.money?.currency !== undefined;
  return creditsByUser ?? (isBill ? row(usersDataset, day)?.credits : undefined);
}

function unattributed({ credits: total, byModel: models }: TokensRow, ofPeople: number | undefined) {
  if (total === undefined) return {};
  // With an unknown part of the breakdown, the rest is not necessarily unattributed.
  const ofModels =
    models && haveAmounts(models, 'credits') ? models.map(({ credits = 0 }) => credits) : undefined;
  return { model: rest(total, ofModels && sumOfUsable(ofModels)), user: rest(total, ofPeople) };
}

function rest(total: number, sum: number | undefined): number | undefined {
  if (sum === undefined) return undefined;
  return Math.abs(total - sum) <= RESIDUE * total ? 0 : total - sum;
}
