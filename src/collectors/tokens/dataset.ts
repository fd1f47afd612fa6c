import type { DayDataset, Reduced } from '../../catalog/dataset.ts';

/** What one model, in one tier, used in a day. */
export interface ModelTokens {
  readonly model: string;
  /** Missing where the platform did not say it. */
  readonly tier?: string | undefined;
  readonly credits?: number | undefined;
  readonly input?: number | undefined;
  readonly output?: number | undefined;
}

/** What is kept of a day's consumption; of the people only the sum of their credits. */
export interface TokensRow extends Reduced {
  readonly credits?: number | undefined;
  readonly tokens?: {
    readonly input?: number | undefined;
    readonly output?: number | undefined;
    readonly cacheRead?: number | undefined;
    readonly cacheWrite?: number | undefined;
  };
  /** One entry per model and tier; missing where the platform gave no breakdown. */
  readonly byModel?: readonly ModelTokens[] | undefined;
  readonly creditsByUser?: number | undefined;
}

export const tokensDataset: DayDataset<TokensRow> = {
  kind: 'days',
  name: 'tokens',
  idle: { credits: 0, tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
  total: ({ credits }) => credits,
  parts: {
    // The models' entries break down the credits and the tokens alike.
    credits: {
      fields: ['billable_tokens', 'input_tokens', 'output_tokens', 'by_model', 'by_user'],
      members: ['credits', 'tokens.input', 'tokens.output', 'byModel', 'creditsByUser'],
    },
    cacheRead: { fields: ['cache_read_tokens'], members: ['tokens.cacheRead'] },
    cacheWrite: { fields: ['cache_write_tokens'], members: ['tokens.cacheWrite'] },
  },
};
