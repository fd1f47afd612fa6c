import { dayFamily } from '../../catalog/family.ts';
import { explain } from '../explain/explain.ts';
import { fourWeeksBefore } from '../explain/usage.ts';

export const creditsChangeByCause = dayFamily({
  name: 'agent_platform_credits_change_by_cause',
  help: 'Change of the Standard Credits of the newest complete UTC day from the mean of the same weekday in the preceding four weeks, by cause. The causes add up to the change.',
  labels: ['cause'],
  fixedLabels: ['cause'],
  unit: 'credits',
  source:
    'stored days of /api/v1/analytics/tokens: data[].billable_tokens, input_tokens, output_tokens, by_model[], and of /api/v1/analytics/activity: data[].daily_active_users, sessions',
  aggregation: 'additive',
  definition: `The parts that the command \`explain\` lists under *What changed*, in whole credits: \`people\`, \`sessions_per_person\`,
\`tokens_per_session\`, \`models_used\`, \`price_of_tokens\` (credits per token of each model) and \`unattributed\` (credits of no model).
[How they are computed](explain.md). Where people, sessions or tokens are unknown or 0 on one side, their neighbours are one part, such as
\`credits_per_person\`. Without a breakdown by model, \`credits_per_token\` replaces the two of models; where credits or tokens are 0 on one side,
all is \`use\`. Of the four weeks, the days count whose credits are known. Absent if none are.

Example: the mean of four Tuesdays is 1 000 000 credits, of 10 people, 20 sessions and 200 000 tokens of one model. This Tuesday, 20 people
used 2 000 000 credits in 40 sessions with 400 000 tokens: \`people\` is 1 000 000, and the others are 0.`,
  samplesOf(view, day) {
    const explained = explain(view, fourWeeksBefore(day), [day]);
    return explained?.what.map(({ name, credits }) => ({ labels: { cause: name }, value: credits }));
  },
});
