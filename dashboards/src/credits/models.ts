import { dailyCreditsByModel } from '../../../src/collectors/tokens/collector.ts';
import { daily } from '../expression.ts';
import { largestAndRest } from '../largest.ts';
import type { Row } from '../layout.ts';
import { coloursOf } from '../palette.ts';
import { bars } from '../panels/chart.ts';
import { ranking } from '../panels/ranking.ts';
import { days } from '../query.ts';
import { unattributed } from './unattributed.ts';
import { MODEL, modelLink } from './variables.ts';

/** Credits by model. */
export const models: Row = {
  title: 'Models and tiers',
  panels: [
    ranking({
      title: 'Models by credits',
      text: 'Standard Credits of each model and tier over the days in the range, largest first.',
      unit: 'short',
      labels: [
        { of: 'model', title: 'Model', to: modelLink },
        { of: 'tier', title: 'Tier', width: 90 },
      ],
      value: 'Credits',
      queries: [days(daily(dailyCreditsByModel, { orgs: 'summed', only: MODEL }), '{{model}} ({{tier}})')],
      width: 10,
      height: 10,
    }),
    bars({
      title: 'Share of each model by day',
      text: 'The five models with most credits in the range, and the rest, as shares of the credits of all models on each UTC day. A model that starts or ends was added or removed.',
      unit: 'short',
      stack: 'shares',
      queries: largestAndRest({ family: dailyCreditsByModel, label: 'model', only: MODEL }),
      width: 14,
      height: 10,
    }),
    bars({
      title: 'Tiers by day',
      text: 'Standard Credits of each UTC day by the tier of the model.',
      unit: 'short',
      stack: 'values',
      queries: [
        days(
          daily(dailyCreditsByModel, { by: ['tier'], orgs: 'summed', only: MODEL }),
          '{{tier}}',
          coloursOf(['standard', 'thinking']),
        ),
      ],
      width: 14,
    }),
    bars({
      title: 'Unattributed by day',
      text: 'Credits of each UTC day that are not attributed to a model, and not attributed to a user. Below zero if a breakdown sums to more than the total.',
      unit: 'short',
      // Bars at the same place would hide each other.
      queries: unattributed({ draw: 'line' }),
      width: 10,
    }),
  ],
};
