import { between, type Random } from '../random.ts';
import type { Conditions } from './conditions.ts';
import { type Model, modelAt } from './models.ts';

/** Credits and raw tokens; the sums of the models are the totals. */
export type Spending = Readonly<ReturnType<typeof spend>>;

/** The tokens and credits of a number of model calls, most of them to the preferred model. */
export function spend(calls: number, preferred: Model, on: Conditions, random: Random) {
  const second = modelAt(on.mix, random());
  const share = random() < 0.55 || second === preferred ? 1 : between(random, 0.62, 0.95);
  const input = Math.round(calls * between(random, 14_000, 26_000));
  const output = Math.round(calls * between(random, 220, 480));
  const cached = between(random, 0.82, 0.93);
  const models = [spendOn(preferred, share, input, output, cached)];
  if (share < 1) {
    const [first] = models;
    models.push(spendOn(second, 1, input - (first?.input ?? 0), output - (first?.output ?? 0), cached));
  }
  return {
    /** Most used first. */
    models,
    credits: models.reduce((sum, one) => sum + one.credits, 0),
    input,
    output,
    cacheRead: Math.round(input * cached),
    cacheWrite: Math.round(input * (1 - cached) * 0.6),
  };
}

/** The usage of one model. */
function spendOn(model: Model, share: number, allInput: number, allOutput: number, cached: number) {
  const input = Math.round(allInput * share);
  const output = Math.round(allOutput * share);
  const discounted = input * (1 - cached) + input * cached * 0.1 + output * 4;
  return { model, credits: Math.round(discounted * model.rate), input, output };
}
