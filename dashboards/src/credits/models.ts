import { dailyCredits, dailyCreditsByModel } from '../../../src/collectors/tokens/collector.ts';
import type { Row } from '../dashboard.ts';
import { daily, promql } from '../expression.ts';
import { dailyTotal, largestShares } from '../figures.ts';
import { palette } from '../palette.ts';
import { bars } from '../panels/chart.ts';
import { ranking } from '../panels/ranking.ts';
import { strips } from '../panels/strips.ts';
import { days } from '../query.ts';
import { unattributed } from './unattributed.ts';

const byModel = daily(dailyCreditsByModel, { by: ['model'], orgs: 'summed' });
const STANDARD = daily(dailyCreditsByModel, { by: [], orgs: 'summed', only: { tier: 'standard' } });
const THINKING = daily(dailyCreditsByModel, { by: [], orgs: 'summed', only: { tier: 'thinking' } });

/** Credits by model. */
export const models: Row = {
  title: 'Models and tiers',
  panels: [
    ranking({
      title: 'Models by credits',
      text: 'Standard Credits of each model and tier over the days in the range, largest first.',
      unit: 'short',
      what: 'Model',
      value: 'Credits',
      queries: [days(daily(dailyCreditsByModel, { orgs: 'summed' }), '{{model}} ({{tier}})')],
      width: 10,
    }),
    strips({
      title: 'Share of each model by day',
      text: 'The credits of each model as a share of all models’ credits on the UTC day. Stronger colours mean larger shares. A row that starts or ends is a model that was added or removed. Only the ten largest of each day are shown.',
      queries: [days(largestShares(byModel), '{{model}}')],
      width: 14,
    }),
    bars({
      title: 'Tiers by day',
      text: 'Standard Credits of each UTC day by the tier of the model. The rest belongs to another tier or is not attributed to a model.',
      unit: 'short',
      stack: 'values',
      queries: [
        days(STANDARD, 'standard'),
        days(THINKING, 'thinking'),
        days(
          promql`${dailyTotal(dailyCredits)} - (${STANDARD} or 0 * ${dailyTotal(dailyCredits)}) - (${THINKING} or 0 * ${dailyTotal(dailyCredits)})`,
          'other',
          { colour: palette.quiet },
        ),
      ],
      width: 14,
    }),
    bars({
      title: 'Unattributed by day',
      text: 'Credits of each UTC day that are not attributed to a model, and not attributed to a user. Below zero if a breakdown sums to more than the total.',
      unit: 'short',
      queries: unattributed(),
      width: 10,
    }),
  ],
};
