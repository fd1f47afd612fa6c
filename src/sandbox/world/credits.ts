import type { Day } from '../calendar.ts';
import { mix } from '../random.ts';
import type { ModelTotal, Totals } from './totals.ts';

type Remainder = 'none' | 'no user' | 'no model' | 'refund';

/**
 * A day's credits as the platform reports them. On some days they differ from the sum of their breakdowns: work of the
 * platform itself has no user, some also has no model, and a refund makes the total smaller than the sum over users.
 */
export function creditsOf(totals: Totals, orgSeed: number, day: Day) {
  const { credits, input, output } = totals.sum;
  const [first, ...others] = totals.byModel;
  const kind = remainderOn(orgSeed, day);
  if (first === undefined || kind === 'none') return { credits, input, output, byModel: totals.byModel };
  const share = 0.004 * (kind === 'refund' ? -1 : 1);
  const changed: ModelTotal = {
    ...first,
    billable_tokens: first.billable_tokens + Math.round(credits * share),
    input_tokens: first.input_tokens + Math.round(input * share),
    output_tokens: first.output_tokens + Math.round(output * share),
  };
  return {
    credits: credits + changed.billable_tokens - first.billable_tokens,
    input: input + changed.input_tokens - first.input_tokens,
    output: output + changed.output_tokens - first.output_tokens,
    byModel: kind === 'no model' ? totals.byModel : [changed, ...others],
  };
}

function remainderOn(orgSeed: number, day: Day): Remainder {
  const drawn = mix(orgSeed ^ 0xc4ed, day) % 16;
  if (drawn < 2) return 'no user';
  if (drawn < 4) return 'no model';
  return drawn === 4 ? 'refund' : 'none';
}
