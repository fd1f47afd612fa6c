import { type Day, formatDay } from '../calendar.ts';
import type { Row } from '../types.ts';
import { creditsOf } from '../world/credits.ts';
import type { Org } from '../world/org.ts';
import { personDay } from '../world/person-day.ts';

/** A day record of `/tokens`; its size grows with the number of people. */
export function tokensRow(org: Org, day: Day): Row {
  const totals = org.totals(day);
  const { credits, input, output, byModel } = creditsOf(totals, org.seed, day);
  return {
    date: formatDay(day),
    billable_tokens: credits,
    input_tokens: input,
    output_tokens: output,
    cache_read_tokens: totals.sum.cacheRead,
    cache_write_tokens: totals.sum.cacheWrite,
    by_model: byModel,
    by_user: byUser(org, day),
  };
}

/** Rows of `/tokens` with `group_by=model`: the tiers of one model are one row. */
export function tokensByModel(org: Org, day: Day): Row[] {
  const groups = new Map<string, { billable_tokens: number; input_tokens: number; output_tokens: number }>();
  for (const one of creditsOf(org.totals(day), org.seed, day).byModel) {
    const group = groups.get(one.model_id);
    groups.set(one.model_id, {
      billable_tokens: one.billable_tokens + (group?.billable_tokens ?? 0),
      input_tokens: one.input_tokens + (group?.input_tokens ?? 0),
      output_tokens: one.output_tokens + (group?.output_tokens ?? 0),
    });
  }
  return [...groups].map(([model, sums]) => ({ date: formatDay(day), group_key: model, ...sums }));
}

function byUser(org: Org, day: Day): Row[] {
  const on = org.conditions(day);
  const rows: Row[] = [];
  for (const person of org.people) {
    const done = personDay(person, on);
    if (done === undefined || done.credits === 0) continue;
    rows.push({
      user_id: person.id,
      user_email: person.email,
      billable_tokens: done.credits,
      by_model: done.models.map(({ model, credits }) => ({
        model_id: model.id,
        model_tier: model.tier,
        billable_tokens: credits,
      })),
    });
  }
  return rows;
}
