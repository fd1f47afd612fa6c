import { firstOfMonth } from '../catalog/day.ts';
import { money, overBudget } from './figures.ts';
import { percent } from './format.ts';
import { andMore, card, dayTime, type Html, html, number } from './html.ts';
import type { Amount, OrgFigures, TeamMonth } from './org-figures.ts';
import { cell, columnHead, table } from './table.ts';

const COLUMNS: readonly (readonly [title: string, content: (month: TeamMonth) => Html | undefined])[] = [
  ['Credits', ({ credits }) => amountOf(credits)],
  ['Cost', ({ cost }) => amountOf(cost)],
  ['Forecast', ({ forecast, costForecast }) => withSmall(amountOf(forecast), amountOf(costForecast))],
  ['Budget', (month) => withSmall(amountOf(month.budget), sharesOf(month))],
  ['Over budget', ({ probability }) => probability && html`${percent(probability.amount)} likely`],
];

/** The months of an organization's teams as a card; what is not published is blank, and a column of nothing is left out. */
export function teamMonthsCard({ teamMonths, monthStarts }: OrgFigures, id: string): Html | undefined {
  if (teamMonths === undefined) return undefined;
  const { day, teams, rest } = teamMonths;
  const columns = COLUMNS.filter(([, content]) => teams.some((month) => content(month) !== undefined));
  const heads = ['Team', ...columns.map(([title]) => title)];
  const rows = teams.map(
    (month) => html`<tr role="row"><th scope="row" role="rowheader">${month.team}</th>
${columns.map(([title, content]) => cell(title, content(month) ?? html``))}</tr>
`,
  );
  const content = html`<p class="of">${dayTime(firstOfMonth(day, monthStarts))} to ${dayTime(day)}</p>
${table(`${id}-months`, heads.map(columnHead), rows)}
${andMore(rest)}`;
  return card(' teams', `${id}-months`, 'Teams, month to date', content);
}

function amountOf(of: Amount | undefined): Html | undefined {
  return of && (of.currency === undefined ? number(of.amount) : money({ ...of, currency: of.currency }));
}

function withSmall(large: Html | undefined, small: Html | undefined): Html | undefined {
  return small === undefined ? large : html`${large} <small>${small}</small>`;
}

/** The shares of a team's budget that are used and expected, as ratios. */
export function budgetSharesOf({ budget, credits, cost, forecast, costForecast }: TeamMonth) {
  const shareOf = (...parts: readonly (Amount | undefined)[]) => {
    const part = parts.find((one) => one !== undefined && one.currency === budget?.currency);
    return part && budget && budget.amount > 0 ? part.amount / budget.amount : undefined;
  };
  return { used: shareOf(credits, cost), expected: shareOf(forecast, costForecast) };
}

function sharesOf(month: TeamMonth): Html | undefined {
  const { used, expected } = budgetSharesOf(month);
  if (used === undefined) return undefined;
  const shares = expected === undefined ? '' : `, ${percent(expected)} expected`;
  return html`${percent(used)} used${shares}${overBudget((expected ?? used) > 1)}`;
}
