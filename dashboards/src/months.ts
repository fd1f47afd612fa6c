import { spendFamilies as spend } from '../../src/collectors/spend/collector.ts';
import { atEnd, atLastDay, type Described, daily, type Expression, newest, promql } from './expression.ts';
import { ofOne, selectedOrgs } from './figures.ts';
import { eachByDay } from './largest.ts';
import type { Row } from './layout.ts';
import { links } from './links.ts';
import { AMOUNT, MONEY, OF_BUDGET } from './money.ts';
import { palette } from './palette.ts';
import { lines } from './panels/chart.ts';
import { orgLink } from './panels/drill.ts';
import { colouredText, HIDDEN, type TableColumn, table } from './panels/table.ts';
import { days, type Look, type Query } from './query.ts';

type Part =
  | 'ToDate'
  | 'Forecast'
  | 'Budget'
  | 'ForecastLower'
  | 'ForecastUpper'
  | 'BudgetExceededProbability';
/** The figures of a month. */
type MonthFigures<Label extends string> = (part: Part) => Described<Label>;

/** The figures of a month among families, by the beginning of their names. */
export function monthFigures<Name extends string, Label extends string>(
  of: Readonly<Record<`${Name}${Part}`, Described<Label>>>,
  name: Name,
): MonthFigures<Label> {
  return (part) => of[`${name}${part}` as const];
}

/** How much of a budget, in credits or in money, a figure of the month is; `by` identifies a month. */
export function shareOfBudget<Label extends string>(
  by: string,
  { credits, money }: Readonly<Record<'credits' | 'money', MonthFigures<Label>>>,
  part: 'ToDate' | 'Forecast',
  of: (family: Described<Label>) => Expression = newest,
): Expression {
  const used = (month: MonthFigures<Label>) => promql`${of(month(part))} / ${of(month('Budget'))}`;
  return promql`${used(credits)} or max by (${by}) (${used(money)})`;
}

/**
 * The columns of the months of organizations or teams against their budgets in credits and in money; `by` identifies a month. The
 * hidden last one orders them by the share of the budget that they will use; Grafana cannot sort a column with blanks.
 */
export function budgetColumns<Label extends string>(
  by: string,
  months: Readonly<Record<'credits' | 'money', MonthFigures<Label>>>,
  of: (family: Described<Label>) => Expression = newest,
): readonly TableColumn[] {
  const { credits, money } = months;
  const used = (part: 'ToDate' | 'Forecast') => shareOfBudget(by, months, part, of);
  const probability = (month: MonthFigures<Label>) => of(month('BudgetExceededProbability'));
  const exceeds = promql`${probability(credits)} or max by (${by}) (${probability(money)})`;
  const order = promql`${used('Forecast')} or 0 * ${of(credits('ToDate'))}`;
  return [
    { of: of(credits('ToDate')), title: 'To date' },
    { of: of(credits('Forecast')), title: 'Forecast' },
    { of: of(credits('Budget')), title: 'Budget' },
    { of: used('ToDate'), title: 'Used', ...colouredText(OF_BUDGET) },
    { of: used('Forecast'), title: 'Will use', ...colouredText(OF_BUDGET) },
    { of: exceeds, title: 'Exceeds', ...colouredText({ warn: 0.5, alarm: 0.9 }) },
    { of: of(credits('ForecastLower')), title: 'From' },
    { of: of(credits('ForecastUpper')), title: 'To' },
    { of: 'currency', title: 'Currency', width: 80 },
    { of: of(money('ToDate')), title: 'Cost', ...AMOUNT },
    { of: of(money('Forecast')), title: 'Cost forecast', ...AMOUNT },
    { of: of(money('Budget')), title: 'Cost budget', ...AMOUNT },
    { of: order, title: 'Order', properties: HIDDEN },
  ];
}

/** What these columns are. */
export const BUDGET_COLUMNS =
  'credits to date, their forecast for the whole billing month and their budget; how much of the budget, in credits or in money, is and will be used, and the probability that the month exceeds it; from what to what the credits of the month are in eight of ten cases; and the month in money.';

/** The months of organizations. */
export const monthsOfOrgs = {
  credits: monthFigures(spend, 'creditsMonth'),
  money: monthFigures(spend, 'costMonth'),
};

/** A figure of the month by day, of the organization if only one is selected; in money, if its budget is. */
function ofOneOrg(name: string, figure: Expression, look: Look): Query {
  const inMoney = figure.about.some(({ labels }) => labels.length > 0);
  const shown = inMoney ? promql`${figure} and on (org) ${atLastDay(newest(spend.costMonthBudget))}` : figure;
  return days(
    ofOne(shown, selectedOrgs),
    inMoney ? `{{currency}}, ${name}` : name,
    inMoney ? { ...look, ...MONEY, onTheRight: true } : look,
  );
}

/** The month of each organization against its budget. */
export const month: Row = {
  title: 'The month in credits',
  panels: [
    lines({
      title: 'Month to date against the budget',
      text: 'Credits of the month up to each UTC day, of each organization; they restart on the first day of a billing month. With one organization selected, also the forecast made on that day, what it falls short of and what it exceeds in one of ten cases, and the budget on that day; on the right, the same of a budget in money.',
      queries: [
        ...eachByDay(spend.creditsMonthToDate),
        ofOneOrg('forecast', daily(spend.creditsMonthForecast), { colour: palette.second }),
        ofOneOrg('budget', atEnd(spend.creditsMonthBudget), { draw: 'dashes', colour: palette.alarm }),
        ofOneOrg('forecast from', daily(spend.creditsMonthForecastLower), {
          draw: 'dashes',
          colour: palette.fifth,
        }),
        ofOneOrg('forecast to', daily(spend.creditsMonthForecastUpper), {
          draw: 'dashes',
          colour: palette.last,
        }),
        ofOneOrg('to date', daily(spend.costMonthToDate), { colour: palette.third }),
        ofOneOrg('forecast', daily(spend.costMonthForecast), { colour: palette.fourth }),
        ofOneOrg('budget', atEnd(spend.costMonthBudget), { draw: 'dashes', colour: palette.deep }),
      ],
      width: 24,
    }),
    table({
      title: 'By organization',
      text: `The month of each organization: ${BUDGET_COLUMNS} The organization that will use most of its budget is first. At the end, the first day of the month, if the organization has one of its own.`,
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.credits), width: 125 },
        ...budgetColumns('org', monthsOfOrgs),
        {
          of: promql`1000 * ${newest(spend.billingPeriodStart)}`,
          title: 'Since',
          unit: 'time:D MMM',
          width: 75,
        },
      ],
      sort: { by: 'Order', desc: true },
      noValue: '–',
    }),
  ],
};
