import type { Day } from '../../catalog/day.ts';
import type { View } from '../../catalog/view.ts';
import { explain } from '../explain/explain.ts';
import { fourWeeksBefore } from '../explain/usage.ts';
import { inMeasure } from './families.ts';

export const { credits: creditsChangeByCause, cost: costChangeByCause } = inMeasure(changeOn, {
  name: 'agent_platform_credits_change_by_cause',
  help: 'Change of the Standard Credits of the newest complete UTC day from the mean of the same weekday in the preceding four weeks, by cause. The causes add up to the change.',
  labels: ['cause'],
  fixedLabels: ['cause'],
  source:
    'stored days of tokens: credits, tokens.input, tokens.output, byModel; of activity: dailyUsers, sessions',
  aggregation: 'additive',
});

function changeOn(view: View, day: Day) {
  const { what, currency } = explain(view, fourWeeksBefore(day), [day]) ?? {};
  const word = currency === undefined ? 'credits' : 'cost';
  return what?.map(({ name, credits }) => ({
    labels: { cause: name.replace('credits', word) },
    value: credits,
  }));
}
