import type { DayDataset, Reduced } from '../../catalog/dataset.ts';

/** A day's usage of one model in one tier. An amount is undefined if it was not sent, null if it or a part of it was unusable. */
export interface ModelTokens {
  readonly model: string;
  /** Missing if the platform did not send it. */
  readonly tier?: string | undefined;
  readonly credits?: number | null | undefined;
  readonly input?: number | null | undefined;
  readonly output?: number | null | undefined;
}

/** The stored consumption of a day; of individual people only the sum of their credits. */
export interface TokensRow extends Reduced {
  readonly credits?: number | undefined;
  readonly tokens?: {
    readonly input?: number | undefined;
    readonly output?: number | undefined;
    readonly cacheRead?: number | undefined;
    readonly cacheWrite?: number | undefined;
  };
  /** One entry per model and tier; missing if the platform sent no breakdown. */
  readonly byModel?: readonly ModelTokens[] | undefined;
  readonly creditsByUser?: number | undefined;
}

export const tokensDataset: DayDataset<TokensRow> = {
  kind: 'days',
  name: 'tokens',
  idle: { credits: 0, tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
  total: ({ credits }) => credits,
  parts: {
    total: { fields: ['billable_tokens'], members: ['credits'] },
    input: { fields: ['input_tokens'], members: ['tokens.input'] },
    output: { fields: ['output_tokens'], members: ['tokens.output'] },
    cacheRead: { fields: ['cache_read_tokens'], members: ['tokens.cacheRead'] },
    cacheWrite: { fields: ['cache_write_tokens'], members: ['tokens.cacheWrite'] },
    models: { fields: ['by_model'], members: ['byModel'], breaksDown: ['total'] },
    users: { fields: ['by_user'], members: ['creditsByUser'], breaksDown: ['total'] },
  },
};
