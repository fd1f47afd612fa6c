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
    'stored days of tokens: credits, tokens.input, tokens.output, byModel; of activity: dailyUsers, sessions',
  aggregation: 'additive',
  samplesOf(view, day) {
    const explained = explain(view, fourWeeksBefore(day), [day]);
    return explained?.what.map(({ name, credits }) => ({ labels: { cause: name }, value: credits }));
  },
});
