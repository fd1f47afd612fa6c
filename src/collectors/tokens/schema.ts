import * as z from 'zod';
import type { Dated } from '../analytics.ts';
import { breakdown, OTHER, plusKnown, sumOf } from '../counts.ts';
import { amount, day, list, requiredAmount, requiredText, text } from '../fields.ts';
import type { ModelTokens, TokensRow } from './dataset.ts';

/** Undefined where the platform names no model: that use stays unattributed. */
const modelElement = z
  .object({
    model_id: text,
    model_tier: text,
    billable_tokens: amount,
    input_tokens: amount,
    output_tokens: amount,
  })
  .transform((raw): ModelTokens | undefined =>
    raw.model_id === undefined
      ? undefined
      : {
          model: raw.model_id,
          tier: raw.model_tier,
          credits: raw.billable_tokens,
          input: raw.input_tokens,
          output: raw.output_tokens,
        },
  );

const userElement = z
  .object({ billable_tokens: requiredAmount })
  .transform(({ billable_tokens }) => billable_tokens);

/** An element of the ungrouped answer. */
export const dayRow = z
  .object({
    date: day,
    billable_tokens: amount,
    input_tokens: amount,
    output_tokens: amount,
    cache_read_tokens: amount,
    cache_write_tokens: amount,
    by_model: list(modelElement),
    by_user: list(userElement),
  })
  .transform(
    (raw): Dated<TokensRow> => ({
      date: raw.date,
      row: {
        credits: raw.billable_tokens,
        tokens: {
          input: raw.input_tokens,
          output: raw.output_tokens,
          cacheRead: raw.cache_read_tokens,
          cacheWrite: raw.cache_write_tokens,
        },
        byModel: raw.by_model && mergedModels(raw.by_model.filter((entry) => entry !== undefined)),
        creditsByUser: raw.by_user && sumOf(raw.by_user),
      },
    }),
  );

/** An element of the answer to `group_by=model`, which names no tier. */
export const groupedRow = z
  .object({
    date: day,
    group_key: requiredText,
    billable_tokens: amount,
    input_tokens: amount,
    output_tokens: amount,
  })
  .transform(
    (raw): Dated<ModelTokens> => ({
      date: raw.date,
      row: {
        model: raw.group_key,
        credits: raw.billable_tokens,
        input: raw.input_tokens,
        output: raw.output_tokens,
      },
    }),
  );

/** The entries with each model and tier once. */
export function mergedModels(entries: readonly ModelTokens[]): readonly ModelTokens[] {
  return breakdown(entries, {
    keyOf: ({ model, tier }) => JSON.stringify([model, tier]),
    merge: (one, other) => ({
      model: one.model,
      tier: one.tier,
      credits: plusKnown(one.credits, other.credits),
      input: plusKnown(one.input, other.input),
      output: plusKnown(one.output, other.output),
    }),
    weightOf: ({ credits }) => credits ?? 0,
    restOf: (entry) => ({ ...entry, model: OTHER, tier: OTHER }),
  });
}
