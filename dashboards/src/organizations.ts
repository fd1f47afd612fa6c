import type { Platform } from '../../src/catalog/platform.ts';
import { activityFamilies as activity } from '../../src/collectors/activity/collector.ts';
import { dataDayTimestamp, orgInfo } from '../../src/collectors/org-families.ts';
import { spendFamilies as spend } from '../../src/collectors/spend/collector.ts';
import { platforms } from '../../src/platforms/list.ts';
import { type Described, type Expression, named, newest, promql } from './expression.ts';
import { links } from './links.ts';
import { MONEY, OF_BUDGET } from './money.ts';
import { monthsOfOrgs, shareOfBudget } from './months.ts';
import { orgLink } from './panels/drill.ts';
import type { Placed } from './panels/panel.ts';
import { colouredText, HIDDEN, type TableColumn, table } from './panels/table.ts';

/** Shows the names of platforms as something else. */
function ofPlatform(text: (platform: Platform) => string) {
  const options = platforms.map((platform) => [platform.name, { text: text(platform) }]);
  return { mappings: [{ type: 'value', options: Object.fromEntries(options) }] };
}

/** An amount of money or, of an organization without it, of credits, which are then its currency. */
function either(money: Described<'currency'>, credits: Described): Expression {
  return promql`${newest(money)} or on (org) ${named(newest(credits), 'currency', 'credits')}`;
}

const cost = newest(spend.costMonthToDate);
const credits = newest(spend.creditsMonthToDate);
const platform = newest(orgInfo);

/** The budget in the currency of the cost: that of credits at what they cost this month. */
const budget = (() => {
  const inCredits = newest(spend.creditsMonthBudget);
  const perCredit = promql`${cost} / on (org) group_left () (${credits} > 0)`;
  return promql`${newest(spend.costMonthBudget)} or on (org) ${perCredit} * on (org) group_left () ${inCredits} or on (org) ${named(inCredits, 'currency', 'credits')}`;
})();

/** The change of a figure of the month from the same day of the month before. */
function change(present: Described, before: Described): Expression {
  return promql`max by (org) (${newest(present)} / (${newest(before)} > 0)) - 1`;
}

const share = { unit: 'percentunit', decimals: 0 } as const;

/** A line for each organization: what it costs this month, on which platform, and whether that lasts. */
export function organizations(): Placed {
  const columns: readonly TableColumn[] = [
    { of: 'org', title: 'Organization', to: orgLink(links.credits), width: 150 },
    { of: 'title', title: 'Platform', width: 130, properties: ofPlatform(({ title }) => title) },
    { of: 'kind', title: 'Cost is', width: 105, properties: ofPlatform(({ money }) => money.costIs) },
    { of: 'currency', title: 'In', width: 70 },
    { of: either(spend.costMonthToDate, spend.creditsMonthToDate), title: 'This month', ...MONEY },
    { of: newest(spend.billedCostMonthToDate), title: 'Billed', ...MONEY },
    { of: budget, title: 'Budget', ...MONEY },
    { of: shareOfBudget('org', monthsOfOrgs, 'ToDate'), title: 'Used', ...colouredText(OF_BUDGET) },
    { of: either(spend.costMonthForecast, spend.creditsMonthForecast), title: 'Forecast', ...MONEY },
    { of: either(spend.costMonthForecastLower, spend.creditsMonthForecastLower), title: 'From', ...MONEY },
    { of: either(spend.costMonthForecastUpper, spend.creditsMonthForecastUpper), title: 'To', ...MONEY },
    {
      of: promql`${change(spend.creditsMonthToDate, spend.creditsMonthToDateBaseline)} or ${change(spend.costMonthToDate, spend.costMonthToDateBaseline)}`,
      title: 'Against last month',
      width: 145,
      ...share,
    },
    { of: newest(activity.weeklyActiveUsers), title: 'People, 7 days', width: 115 },
    {
      of: promql`1000 * ${newest(dataDayTimestamp, { only: { dataset: 'tokens' }, by: [] })}`,
      title: 'Newest day',
      unit: 'time:ddd D MMM',
      width: 100,
    },
    { of: promql`max by (org) (${cost}) or 0 * ${credits}`, title: 'Order', properties: HIDDEN },
  ];
  return table({
    title: 'Organizations',
    text: `The month of each organization, from the first day of its billing month (UTC) to the newest complete day: its cost, or its Standard Credits where no money is known; what the platform bills of that beyond seats, where it says so; the budget, how much of it is used, the forecast of the whole month, and what it falls short of and exceeds in one of ten cases; the change from the same day of the month before; the people active in 7 days. A cost is what its platform says that it is: ${kinds()
      .map(([kind, of]) => `${kind} (${of.map(({ title }) => title).join(', ')})`)
      .join(', ')}. Seat fees are in none. What costs most is first; nothing is added up.`,
    labels: [
      promql`label_join(${platform}, "title", "", "platform")`,
      promql`label_join((${platform} and on (org) ${cost}), "kind", "", "platform")`,
    ],
    columns,
    sort: { by: 'Order', desc: true },
    noValue: '–',
    to: links.credits,
    height: 7,
  });
}

/** What the costs of platforms are, with the platforms of each kind. */
function kinds(): readonly (readonly [string, readonly Platform[]])[] {
  const all = [...new Set(platforms.map(({ money }) => money.costIs))];
  return all.map((kind) => [kind, platforms.filter(({ money }) => money.costIs === kind)]);
}

/** The costs of organizations on some platforms. */
function costOn(of: readonly Platform[]): Expression {
  const names = of.map(({ name }) => name).join('|');
  return promql`${cost} and on (org) ${orgInfo.name}{job=~"$job",org=~"$org",platform=~"${names}"}`;
}

/** The month of all organizations by currency, and of which kinds its cost is. */
export function totals(): Placed {
  const sum = (figure: Expression) => promql`sum by (currency) (${figure})`;
  const forecast = newest(spend.costMonthForecast);
  const isWhole = promql`count by (currency) (${forecast}) == count by (currency) (${cost})`;
  return table({
    title: 'Totals by currency',
    text: 'The cost of the month to date of all organizations whose cost is known, and their number; how much of it is of each kind; what platforms bill of it; and the forecast, if every one of these organizations has one. Currencies are never added up.',
    columns: [
      { of: 'currency', title: 'Currency', width: 90 },
      { of: promql`count by (currency) (${cost})`, title: 'Organizations', width: 120 },
      { of: sum(cost), title: 'This month', ...MONEY },
      ...kinds().map(([kind, of]) => ({
        of: sum(costOn(of)),
        title: `Of it ${kind}`,
        ...MONEY,
      })),
      { of: sum(newest(spend.billedCostMonthToDate)), title: 'Billed', ...MONEY },
      { of: promql`${sum(forecast)} and on (currency) (${isWhole})`, title: 'Forecast', ...MONEY },
    ],
    sort: { by: 'This month', desc: true },
    noValue: '–',
    height: 5,
  });
}
