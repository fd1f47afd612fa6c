import { explain } from '../explain/explain.ts';
import { fourWeeksBefore } from '../explain/usage.ts';
import { inMeasure } from './families.ts';

export const { credits: creditsChangeByCause, cost: costChangeByCause } = inMeasure({
  labels: ['cause'],
  fixedLabels: ['cause'],
  aggregation: 'additive',
  source:
    'stored days of /api/v1/analytics/tokens: data[].billable_tokens, input_tokens, output_tokens, by_model[], and of /api/v1/analytics/activity: data[].daily_active_users, sessions',
  credits: {
    name: 'agent_platform_credits_change_by_cause',
    help: 'Change of the Standard Credits of the newest complete UTC day from the mean of the same weekday in the preceding four weeks, by cause. The causes add up to the change.',
  },
  cost: {
    name: 'agent_platform_cost_change_by_cause',
    help: 'Change of the cost of the newest complete UTC day from the mean of the same weekday in the preceding four weeks, by cause, where the platform counts no credits. The causes add up to the change. Do not sum over currencies.',
  },
  samplesOf(view, day) {
    const explained = explain(view, fourWeeksBefore(day), [day]);
    return explained?.what.map(({ name, credits }) => ({
      labels: { cause: explained.currency === undefined ? name : name.replace('credits', 'cost') },
      value: credits,
    }));
  },
});
