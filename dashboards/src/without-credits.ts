import { spendFamilies as spend } from '../../src/collectors/spend/collector.ts';
import { type Described, daily, newest, ofPlatform, promql } from './expression.ts';
import { ofOne } from './figures.ts';
import { eachByDay } from './largest.ts';
import type { Row } from './layout.ts';
import { links } from './links.ts';
import { AMOUNT, MONEY } from './money.ts';
import { palette } from './palette.ts';
import { lines } from './panels/chart.ts';
import { drillTo, orgLink } from './panels/drill.ts';
import { table } from './panels/table.ts';
import { days, type Look, type Query, weeks } from './query.ts';

/** A cost of the organization if only one of those selected has it, on an axis of its own. */
export function costOfOne(family: Described<'currency'>, name: string, look: Look): Query {
  const figure = ofOne(daily(family), newest(family));
  return days(figure, `{{org}} {{currency}}, ${name}`, { ...MONEY, ...look, onTheRight: true });
}

/** The weekly cost of each value of a label, if the selected organizations count no credits and have one currency. */
export function weeklyCost(family: Described<string>, label: string, selected: string): Query {
  const only = { [label]: selected };
  const cost = daily(family, { by: [label, 'currency'], orgs: 'summed', only, over: 'week' });
  // Only organizations without credits have these shares.
  const shares = `max by (currency) (${spend.costShareByModel.name}{job=~"$job",org=~"$org"})`;
  const currencies = ofPlatform({ text: shares, about: [spend.costShareByModel] });
  const look = { colour: palette.deep, palette: 'shades' } as const;
  return weeks(ofOne(promql`max by (${label}) (${cost})`, currencies), `{{${label}}}`, look);
}

/** What other rows say in credits, where a platform reports a cost and counts none. */
export const withoutCredits: Row = {
  title: 'Platforms without credits',
  folded: true,
  panels: [
    lines({
      title: 'Month to date in money',
      text: 'Cost of the month up to each UTC day, of each organization, and the forecast made on that day where one is selected; also of organizations that have a price.',
      ...AMOUNT,
      queries: [
        ...eachByDay(spend.costMonthToDate),
        costOfOne(spend.costMonthForecast, 'forecast', { colour: palette.last }),
      ],
      noValue: '–',
    }),
    lines({
      title: 'Cost by model and day',
      text: 'Cost of each UTC day, of each organization, model and tier; also of organizations that have a price.',
      ...AMOUNT,
      queries: eachByDay(spend.dailyCostByModel),
      noValue: '–',
    }),
    lines({
      title: 'Shares of the cost by model',
      text: 'Share of each model of the cost of each UTC day, of organizations whose platform counts no credits.',
      unit: 'percentunit',
      queries: eachByDay(spend.costShareByModel),
      noValue: '–',
    }),
    lines({
      title: 'Changes of the cost by cause',
      text: 'By how much the cost of each UTC day differs from the mean of the same weekday in the four weeks before, by cause, of each organization whose platform counts no credits. The causes of a day add up to the difference.',
      ...AMOUNT,
      queries: eachByDay(spend.costChangeByCause),
      noValue: '–',
    }),
    ...[
      {
        title: 'Billed cost by day',
        family: spend.dailyBilledCost,
        text: 'What the platform bills for each UTC day, beyond what seats include.',
      },
      {
        title: 'List cost by day',
        family: spend.dailyListCost,
        text: 'Cost of each UTC day before the discount of the contract.',
      },
    ].map(({ title, family, text }) =>
      lines({ title, text, ...AMOUNT, queries: eachByDay(family), noValue: '–' }),
    ),
    table({
      title: 'Models and their cost before',
      text: 'Share of each model of the cost of the newest complete day, and of the 14 days before, of organizations whose platform counts no credits.',
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.credits) },
        { of: 'model', title: 'Model', to: drillTo(links.credits, 'model') },
        { of: newest(spend.costShareByModel), title: 'Share', unit: 'percentunit' },
        { of: newest(spend.costShareByModelBaseline), title: 'Before', unit: 'percentunit' },
      ],
      sort: { by: 'Share', desc: true },
      noValue: '–',
    }),
  ],
};
