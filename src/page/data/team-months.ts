import type { Collector } from '../../catalog/collector.ts';
import type { Family } from '../../catalog/family.ts';
import type { Measure } from '../../catalog/money.ts';
import { OTHER_TEAMS } from '../../catalog/settings.ts';
import { measureOf } from '../../collectors/spend/measure.ts';
import { usersDataset } from '../../collectors/users/dataset.ts';
import { teamBudgetFamilies as months } from '../../collectors/users/team-budgets.ts';
import { measureCardinality, projectFamily } from '../../pipeline/cardinality.ts';
import type { TeamMonth, TeamMonths } from '../org-figures.ts';
import type { BreakdownParts, Work } from './breakdowns.ts';

/** Maximum number of listed teams. */
const LISTED = 20;

/** A budget is in credits or in money, and only that one has a probability. */
const FIGURES = new Map<Family, Exclude<keyof TeamMonth, 'team'>>([
  [months.teamCreditsMonthToDate, 'credits'],
  [months.teamCostMonthToDate, 'cost'],
  [months.teamCreditsMonthForecast, 'forecast'],
  [months.teamCostMonthForecast, 'costForecast'],
  [months.teamCreditsMonthBudget, 'budget'],
  [months.teamCostMonthBudget, 'budget'],
  [months.teamCreditsMonthBudgetExceededProbability, 'probability'],
  [months.teamCostMonthBudgetExceededProbability, 'probability'],
]);

interface TeamMonthsParts extends BreakdownParts {
  readonly collectors: readonly Collector[];
}

/** The months of the published teams, the largest first, as `/metrics` has them; undefined without any. */
export function* teamMonthsOf(parts: TeamMonthsParts): Work<TeamMonths | undefined> {
  const { view, collectors, labelLimit, isServed } = parts;
  const day = view.newestDay(usersDataset);
  if (day === undefined || !Object.values(months).some(isServed)) return undefined;
  const { families = [] } = collectors.find(({ dataset }) => dataset === usersDataset) ?? {};
  // Which teams are folded depends on all families by team.
  const byTeam = families.filter(({ labels }) => labels[0] === 'team');
  const cardinality = yield* measureCardinality(byTeam, usersDataset, view, labelLimit);
  const teams = new Map<string, TeamMonth>();
  for (const measured of cardinality.families) {
    const figure = isServed(measured.family) ? FIGURES.get(measured.family) : undefined;
    if (figure === undefined) continue;
    for (const { labels, value } of projectFamily(measured, cardinality.kept, usersDataset, view)) {
      const { team = '', currency } = labels;
      // Of the teams that are folded, only some have a budget, and not all in the same unit.
      if (team === OTHER_TEAMS && figure === 'budget') continue;
      teams.set(team, { ...teams.get(team), team, [figure]: { currency, amount: value } });
    }
  }
  const all = [...teams.values()].sort((one, other) => bySize(measureOf(view), one, other));
  return { day, teams: all.slice(0, LISTED), rest: Math.max(0, all.length - LISTED) };
}

function bySize(measure: Measure, one: TeamMonth, other: TeamMonth): number {
  const sizeOf = ({ [measure]: used }: TeamMonth) => used?.amount ?? Number.NEGATIVE_INFINITY;
  return sizeOf(other) - sizeOf(one) || (one.team < other.team ? -1 : 1);
}
