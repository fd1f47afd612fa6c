import {
  costMonthForecast,
  costMonthToDate,
  creditPrice,
  dailyCost,
  dailyCostByModel,
} from '../../../src/collectors/spend/collector.ts';
import { daily, newest, promql } from '../expression.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { bars } from '../panels/chart.ts';
import { orgLink } from '../panels/drill.ts';
import { ranking } from '../panels/ranking.ts';
import { table } from '../panels/table.ts';
import { days, rows } from '../query.ts';
import { MODEL, modelLink } from './variables.ts';

const NO_PRICE = 'No price known';
const MONEY = { unit: 'none', properties: [{ id: 'decimals', value: 2 }] };

/** Costs, if a price is configured. */
export const cost: Row = {
  title: 'Cost',
  panels: [
    {
      width: 12,
      column: [
        bars({
          title: 'Cost by day',
          text: 'Cost of each UTC day at the price of that day, by currency. Currencies are never summed.',
          unit: 'locale',
          queries: [days(daily(dailyCost, { by: ['currency'], orgs: 'summed' }), '{{currency}}')],
          noValue: NO_PRICE,
          width: 12,
        }),
        table({
          title: 'Cost of the month',
          text: 'Cost of each organization’s month to date, forecast for the whole month, and the current price of a million credits.',
          queries: [
            rows(newest(costMonthToDate)),
            rows(newest(costMonthForecast)),
            rows(promql`1e6 * ${newest(creditPrice)}`),
          ],
          columns: [
            { of: 'org', title: 'Organization', to: orgLink(links.credits), width: 125 },
            { of: 'currency', title: 'Currency', width: 95 },
            { of: 0, title: 'To date', ...MONEY },
            { of: 1, title: 'Forecast', ...MONEY },
            { of: 2, title: 'Per million', ...MONEY },
          ],
          sort: { by: 'To date', desc: true },
          noValue: NO_PRICE,
          width: 12,
          height: 6,
        }),
      ],
    },
    ranking({
      title: 'Models by cost',
      text: 'Cost of each model over the days in the range, by currency.',
      unit: 'none',
      decimals: 2,
      labels: [
        { of: 'model', title: 'Model', to: modelLink, width: 250 },
        { of: 'currency', title: 'Currency', width: 100 },
      ],
      value: 'Cost',
      queries: [
        days(
          daily(dailyCostByModel, { by: ['model', 'currency'], orgs: 'summed', only: MODEL }),
          '{{model}} ({{currency}})',
        ),
      ],
      noValue: NO_PRICE,
      width: 12,
      height: 14,
    }),
  ],
};
