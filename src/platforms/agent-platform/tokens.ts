import * as z from 'zod';
import type { DayReader, FetchedDays, Window } from '../../catalog/collector.ts';
import { withRejected } from '../../catalog/dataset.ts';
import type { Day } from '../../catalog/day.ts';
import { isObject } from '../../catalog/object.ts';
import { type Source, UnexpectedAnswer } from '../../catalog/source.ts';
import { sumOfUsable } from '../../collectors/counts.ts';
import { type ModelTokens, type TokensRow, tokensDataset } from '../../collectors/tokens/dataset.ts';
import { mergedModels, SOME_MODEL } from '../../collectors/tokens/models.ts';
import {
  breakdownOf,
  element,
  elementAmount,
  rejected,
  requiredElementAmount,
  requiredText,
  text,
} from '../fields.ts';
import { withUnusable } from '../usable-row.ts';
import { type AnalyticsAnswer, askAnalytics, type Dated, elementOf, readerOf } from './analytics.ts';
import { TIERS } from './words.ts';

/** An entry as it was sent: its tier is null if it was unusable. */
type SentModel = Omit<ModelTokens, 'tier'> & { readonly tier?: string | null | undefined };

/** Undefined if the platform names no model: such usage stays unattributed. */
const modelElement = element({
  model_id: z.union([text, rejected]),
  model_tier: z.union([text, rejected]),
  billable_tokens: elementAmount,
  input_tokens: elementAmount,
  output_tokens: elementAmount,
}).transform((raw): SentModel | undefined => {
  if (raw.model_id === null) return SOME_MODEL;
  if (raw.model_id === undefined) return undefined;
  return {
    model: raw.model_id,
    tier: raw.model_tier,
    credits: raw.billable_tokens,
    input: raw.input_tokens,
    output: raw.output_tokens,
  };
});

const userElement = element({ billable_tokens: requiredElementAmount }).transform(
  ({ billable_tokens }) => billable_tokens,
);

const ungrouped = readerOf(
  tokensDataset,
  {
    byModel: breakdownOf(modelElement, (entries) =>
      mergedModels(withTiers(entries.filter((entry) => entry !== undefined))),
    ),
    creditsByUser: breakdownOf(userElement, sumOfUsable),
  },
  {
    unread: ['by_user.user_id', 'by_user.user_email', 'by_user.by_model'],
    values: { 'by_model.model_tier': TIERS },
  },
);

export const { dayRow } = ungrouped;
export const reader: DayReader<TokensRow> = { fetchDays: fetchWithModels };

/** An unusable tier is as good as none if it is the model's only entry, otherwise it can be that of any of them. */
function withTiers(entries: readonly SentModel[]): readonly ModelTokens[] {
  return [...Map.groupBy(entries, ({ model }) => model).values()].flatMap((ofModel) => {
    const isUnclear = ofModel.length > 1 && ofModel.some(({ tier }) => tier === null);
    const unusable = isUnclear ? { credits: null, input: null, output: null } : {};
    return ofModel.map((entry): ModelTokens => ({ ...entry, tier: entry.tier ?? undefined, ...unusable }));
  });
}

/** The fields of a group's amounts. */
const AMOUNTS = { credits: 'billable_tokens', input: 'input_tokens', output: 'output_tokens' } as const;

/** An element of the response to `group_by=model`, which has no tier. */
const groupedRow = elementOf<ModelTokens>([['model', 'group_key'], ...Object.entries(AMOUNTS)], {
  model: requiredText,
});

const DECLINED = new Set([400, 404, 405, 422, 501]);

const NO_BREAKDOWN = 'no credits by model: by_model is missing and group_by=model was declined';

/** Fetches the consumption of a window, and once more grouped by model if a day lacks `by_model`. */
async function fetchWithModels(source: Source, window: Window): Promise<FetchedDays<TokensRow>> {
  const days = await ungrouped.fetchDays(source, window);
  if ([...days.rows.values()].every(({ byModel }) => byModel !== undefined)) return days;
  const grouped = await askByModel(source, window);
  if (grouped === undefined) return { ...days, remarks: [...days.remarks, NO_BREAKDOWN] };
  const models = Map.groupBy(grouped.rows, ({ date }) => date);
  // A rejected group can belong to any of the days.
  const lost = Array.from({ length: grouped.lost }, () => 'models');
  const rows = new Map<Day, TokensRow>();
  for (const [day, row] of days.rows) {
    rows.set(day, row.byModel === undefined ? withModels(row, models.get(day), lost) : row);
  }
  return {
    ...days,
    rows,
    rejected: days.rejected + grouped.rejected,
    bytes: days.bytes + grouped.bytes,
  };
}

function withModels(
  row: TokensRow,
  groups: readonly Dated<ModelTokens>[] | undefined,
  lost: readonly string[],
): TokensRow {
  // Identical groups of a day are one group.
  const distinct = new Map(groups?.map((group) => [JSON.stringify(group), group]));
  const models = [...distinct.values()].map(({ row: group, faults: rejected = [] }) =>
    withUnusable(group, rejected, AMOUNTS),
  );
  const faults = [...distinct.values()].flatMap((group) => (group.faults ?? []).map(() => 'models'));
  const byModel = groups && mergedModels(lost.length === 0 ? models : [...models, SOME_MODEL]);
  return withRejected({ ...row, byModel }, [...faults, ...lost]);
}

/**
 * Fetches the same window by model. If the platform declines to group, only the breakdown is lost. A transient failure
 * fails the run, because days stored without models would be fetched again only while they can still be revised.
 */
async function askByModel(source: Source, window: Window): Promise<AnalyticsAnswer<ModelTokens> | undefined> {
  try {
    return await askAnalytics(source, { dataset: 'tokens', window, groupBy: 'model' }, groupedRow);
  } catch (thrown) {
    if (thrown instanceof UnexpectedAnswer || DECLINED.has(statusOf(thrown))) return undefined;
    throw thrown;
  }
}

function statusOf(thrown: unknown): number {
  return isObject(thrown) && typeof thrown['status'] === 'number' ? thrown['status'] : 0;
}
