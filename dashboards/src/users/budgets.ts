import {
  teamCostMonthToDate,
  teamCreditsMonthBudget,
  teamCreditsMonthForecast,
  teamCreditsMonthToDate,
} from '../../../src/collectors/users/team-budgets.ts';
import { budgetShare } from '../credits/month.ts';
import { atEnd, type Described, daily, newest, promql } from '../expression.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { lines } from '../panels/chart.ts';
import { orgLink } from '../panels/drill.ts';
import { table } from '../panels/table.ts';
import { days, rows } from '../query.ts';
import { TEAM, teamLink } from './variables.ts';

const NO_BUDGET = 'No budget of a team known';

const newestOfTeam = (family: Described<'team'>) => newest(family, { only: TEAM });
const ofBudget = (family: Described<'team'>) =>
  promql`${newestOfTeam(family)} / ${newestOfTeam(teamCreditsMonthBudget)}`;

/** The month of the teams that have a budget. */
export const budgets: Row = {
  title: 'Budgets of teams',
  panels: [
    table({
      title: 'Teams against their budgets',
      text: 'The month of each team with a budget: credits to date, forecast for the whole month, the budget, and both as shares of the budget. Blank while a day of the month is unknown.',
      queries: [
        rows(newestOfTeam(teamCreditsMonthToDate)),
        rows(newestOfTeam(teamCreditsMonthForecast)),
        rows(newestOfTeam(teamCreditsMonthBudget)),
        rows(ofBudget(teamCreditsMonthToDate)),
        rows(ofBudget(teamCreditsMonthForecast)),
      ],
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.users), width: 125 },
        { of: 'team', title: 'Team', properties: [teamLink] },
        { of: 0, title: 'To date', total: true },
        { of: 1, title: 'Forecast', total: true },
        { of: 2, title: 'Budget', total: true },
        budgetShare(3, 'Used', { warn: 0.9, alarm: 1 }),
        budgetShare(4, 'Will use', { warn: 1, alarm: 1.1 }),
      ],
      sort: { by: 'Will use', desc: true },
      noValue: '–',
      width: 14,
    }),
    table({
      title: 'Cost of teams this month',
      text: 'Cost of the month to date of each team with a budget, each day at its own price. Needs a price of the organization.',
      queries: [rows(newest(teamCostMonthToDate, { only: TEAM }))],
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.users), width: 125 },
        { of: 'team', title: 'Team', properties: [teamLink] },
        { of: 'currency', title: 'Currency', width: 90 },
        { of: 0, title: 'To date', unit: 'none', properties: [{ id: 'decimals', value: 2 }] },
      ],
      sort: { by: 'To date', desc: true },
      noValue: 'None known: no team has a budget, or there is no price',
      width: 10,
    }),
    lines({
      title: 'Share of the budget used by day',
      text: 'Credits of the month up to each UTC day as a share of the team’s budget on that day; they restart on the first of a month. At 100 % the budget is used up.',
      unit: 'percentunit',
      decimals: 0,
      queries: [
        days(
          promql`${daily(teamCreditsMonthToDate, { only: TEAM })} / ${atEnd(teamCreditsMonthBudget, { only: TEAM })}`,
          '{{org}} {{team}}',
          { palette: 'series' },
        ),
      ],
      noValue: NO_BUDGET,
      width: 24,
    }),
  ],
};
