import type { DayDataset, Reduced } from '../../catalog/dataset.ts';
import { byName } from '../../catalog/object.ts';
import { RANGE_DAYS } from '../month-range.ts';

/** A day's usage of one model in one tier. An amount is undefined if it was not sent, null if it or a part of it was unusable. */
export interface ModelTokens {
  readonly model: string;
  /** Missing if the platform did not send it. */
  readonly tier?: string | undefined;
  readonly credits?: number | null | undefined;
  /** The cost as the platform reports it, in its currency. */
  readonly cost?: number | null | undefined;
  readonly listCost?: number | null | undefined;
  readonly billedCost?: number | null | undefined;
  readonly input?: number | null | undefined;
  readonly output?: number | null | undefined;
}

/** The stored consumption of a day; of individual people only the sum of their credits. */
export interface TokensRow extends Reduced {
  readonly credits?: number | undefined;
  /** The day's cost as the platform reports it, in its currency: the cost itself, before the discount, and as billed. */
  readonly cost?: number | undefined;
  readonly listCost?: number | undefined;
  readonly billedCost?: number | undefined;
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
  zeros: ['cost', 'listCost', 'billedCost'],
  total: ({ credits, cost }) => credits ?? cost,
  usedDays: RANGE_DAYS,
  parts: {
    total: { members: ['credits'] },
    cost: { members: ['cost', 'listCost', 'billedCost'] },
    input: { members: ['tokens.input'] },
    output: { members: ['tokens.output'] },
    cacheRead: { members: ['tokens.cacheRead'] },
    cacheWrite: { members: ['tokens.cacheWrite'] },
    models: {
      members: ['byModel'],
      breaksDown: ['total', 'cost'],
      isCoarser: lacksOnlyTiers,
    },
    users: { members: ['creditsByUser'], breaksDown: ['total'] },
  },
};

/** Whether usage by model alone (the answer) equals the stored usage by model and tier. */
function lacksOnlyTiers(stored: unknown, answered: unknown): boolean {
  const [before, after] = [stored, answered] as readonly (readonly ModelTokens[] | undefined)[];
  if (before === undefined || after === undefined || after.some(({ tier }) => tier !== undefined))
    return false;
  return textByModel(before) === textByModel(after);
}

function textByModel(entries: readonly ModelTokens[]): string {
  const sums = new Map<string, readonly number[]>();
  for (const { model, credits, cost, input, output } of entries) {
    const known = sums.get(model) ?? [0, 0, 0, 0];
    // An unusable amount makes the sum unknown.
    const amounts = [credits, cost, input, output].map((amount) =>
      amount === null ? Number.NaN : (amount ?? 0),
    );
    sums.set(
      model,
      known.map((sum, index) => sum + (amounts[index] ?? 0)),
    );
  }
  return JSON.stringify([...sums].sort(byName));
}
