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
  samplesOf(view, day) {
    const explained = explain(view, fourWeeksBefore(day), [day]);
    return explained?.what.map(({ name, credits }) => ({ labels: { cause: name }, value: credits }));
  },
});
