/** The average use of an organization per day. An unknown quantity is undefined, and is no factor of the explanation. */
export interface Usage {
  /** Credits; where the platform counts none, the cost in hundredths of its currency. */
  readonly credits: number;
  /** People who were active. */
  readonly people: number | undefined;
  readonly sessions: number | undefined;
  /** Input and output tokens. */
  readonly tokens: number | undefined;
  /** By model; undefined if the platform sent no usable breakdown. */
  readonly models: ReadonlyMap<string, ModelUsage> | undefined;
}

export interface ModelUsage {
  readonly credits: number;
  readonly tokens: number;
}

/** The causes of a change in credits: the factors of credits, and usage without a model. */
export type Cause =
  | 'people'
  | 'sessions'
  | 'sessions_per_person'
  | 'tokens'
  | 'tokens_per_person'
  | 'tokens_per_session'
  | 'credits_per_person'
  | 'credits_per_session'
  | 'credits_per_token'
  | 'models_used'
  | 'price_of_tokens'
  | 'use'
  | 'unattributed';

/** Part of a change in credits. */
export interface Effect {
  readonly cause: Cause;
  readonly credits: number;
  /** What each model contributes, where models do. */
  readonly models?: ReadonlyMap<string, number>;
}

const FACTORS = ['people', 'sessions', 'tokens', 'credits'] as const;

type Factor = (typeof FACTORS)[number];

/** By factor, and by the factor before it, the cause for which their quotient stands. */
const CAUSES: Readonly<Record<Factor | 'none', Readonly<Partial<Record<Factor, Cause>>>>> = {
  none: { people: 'people', sessions: 'sessions', tokens: 'tokens' },
  people: { sessions: 'sessions_per_person', tokens: 'tokens_per_person', credits: 'credits_per_person' },
  sessions: { tokens: 'tokens_per_session', credits: 'credits_per_session' },
  tokens: { credits: 'credits_per_token' },
  credits: {},
};

/**
 * Divides the change of credits among people, sessions per person, tokens per session, credits per token and what belongs to no
 * model. The parts add up to the change exactly, apart from the rounding of floating-point numbers. A factor that is unknown or 0
 * on one side is left out, so that its neighbours become one; where credits or tokens begin or end, use as a whole is the cause.
 */
export function decompose(before: Usage, after: Usage): readonly Effect[] {
  const [one, other] = withAttributed(before, after);
  const unattributed = after.credits - other.credits - (before.credits - one.credits);
  const effects = [...ofAttributed(one, other)];
  if (one.models !== undefined) effects.push({ cause: 'unattributed', credits: unattributed });
  return effects;
}

/**
 * Reduces both sides to the same definition: the usage of models with tokens. If a side has no breakdown, all credits and tokens.
 */
function withAttributed(before: Usage, after: Usage): readonly [Usage, Usage] {
  const isBroken = before.models === undefined || after.models === undefined;
  const of = (usage: Usage): Usage => {
    if (isBroken || usage.models === undefined) return { ...usage, models: undefined };
    const models = new Map([...usage.models].filter(([, { tokens }]) => tokens > 0));
    return {
      ...usage,
      models,
      tokens: sum(models, ({ tokens }) => tokens),
      credits: sum(models, ({ credits }) => credits),
    };
  };
  return [of(before), of(after)];
}

function* ofAttributed(before: Usage, after: Usage): Generator<Effect> {
  const isUsed = ({ credits, tokens = 1 }: Usage) => credits > 0 && tokens > 0;
  if (!isUsed(before) || !isUsed(after)) {
    yield { cause: 'use', credits: after.credits - before.credits };
    return;
  }
  const weight = logMean(before.credits, after.credits);
  let last: Factor | 'none' = 'none';
  let explained = 0;
  for (const factor of FACTORS) {
    const [one, other] = [before[factor] ?? 0, after[factor] ?? 0];
    if (!(one > 0 && other > 0)) continue;
    const grown = growth(one, other);
    const effect = weight * (grown - explained);
    const cause: Cause = CAUSES[last][factor] ?? 'use';
    if (cause === 'credits_per_token' && before.models !== undefined)
      yield* mixAndRate({ before, after, weight, effect });
    else yield { cause, credits: effect };
    [last, explained] = [factor, grown];
  }
}

/**
 * Divides the effect of credits per token between which models were used and what their tokens cost, by Bennet's means. A model that is
 * missing on one side has the rate of the other there: a new one changes only what was used.
 */
function* mixAndRate(of: {
  readonly before: Usage;
  readonly after: Usage;
  readonly weight: number;
  readonly effect: number;
}): Generator<Effect> {
  const { before, after, weight, effect } = of;
  const tokens = { before: before.tokens ?? 0, after: after.tokens ?? 0 };
  const rates = { before: before.credits / tokens.before, after: after.credits / tokens.after };
  const rate = (rates.before + rates.after) / 2;
  const change = rates.after - rates.before;
  const scale = change === 0 ? weight / rates.before : effect / change;
  const mix = new Map<string, number>();
  const price = new Map<string, number>();
  for (const model of new Set([...(before.models ?? []), ...(after.models ?? [])].map(([name]) => name))) {
    const [one, other] = [before.models?.get(model), after.models?.get(model)];
    const shares = [(one?.tokens ?? 0) / tokens.before, (other?.tokens ?? 0) / tokens.after] as const;
    const either = rateOf(one ?? other);
    const [was, is] = [
      one === undefined ? either : rateOf(one),
      other === undefined ? either : rateOf(other),
    ];
    mix.set(model, scale * (shares[1] - shares[0]) * ((was + is) / 2 - rate));
    price.set(model, scale * ((shares[0] + shares[1]) / 2) * (is - was));
  }
  yield { cause: 'models_used', credits: sum(mix, (credits) => credits), models: mix };
  yield { cause: 'price_of_tokens', credits: sum(price, (credits) => credits), models: price };
}

function rateOf(usage: ModelUsage | undefined): number {
  return usage === undefined ? 0 : usage.credits / usage.tokens;
}

/** The logarithm of a ratio, which itself can be beyond floating-point numbers. */
function growth(from: number, to: number): number {
  return Math.log(to) - Math.log(from);
}

/** The logarithmic mean of two positive numbers, which is between them. */
function logMean(one: number, other: number): number {
  const ratio = growth(one, other);
  // For nearly equal numbers the quotient loses its digits.
  return Math.abs(ratio) < 1e-6 ? (one + other) / 2 : (other - one) / ratio;
}

function sum<Value>(values: ReadonlyMap<string, Value>, of: (value: Value) => number): number {
  let total = 0;
  for (const value of values.values()) total += of(value);
  return total;
}

/** Whole numbers that add up to `total`, each within one of its amount if the amounts add up to about `total`. */
export function roundTo(total: number, amounts: readonly number[]): readonly number[] {
  // Not -0, which would be written with its sign.
  const rounded = amounts.map((amount) => Math.floor(amount) + 0);
  const order = amounts
    .map((amount, index) => ({ index, rest: amount - Math.floor(amount) }))
    .sort((one, other) => other.rest - one.rest || one.index - other.index);
  const left = total - rounded.reduce((all, one) => all + one, 0);
  const turns = left > 0 ? order : order.toReversed();
  // Of amounts beyond whole numbers of floating point, more is left than a unit for each, and goes to the first.
  const rest = Math.max(0, Math.abs(left) - turns.length);
  for (const [turn, { index }] of turns.entries()) {
    const units = (turn < Math.abs(left) ? 1 : 0) + (turn === 0 ? rest : 0);
    rounded[index] = (rounded[index] ?? 0) + Math.sign(left) * units;
  }
  return rounded;
}
