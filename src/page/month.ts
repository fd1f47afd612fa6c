import type { Figure, FigureName, OrgFigures } from './org-figures.ts';

/** A figure by its name; undefined if its collector is disabled. */
export function figureOf({ figures }: OrgFigures, name: FigureName): Figure | undefined {
  return figures.find((figure) => figure.name === name);
}

/** The month to date, in money where its budget is, else in credits. */
export function monthOf(all: OrgFigures) {
  const { costBudget, monthCosts, costForecast } = all;
  const currency = costBudget?.currency;
  const cost = monthCosts.find((one) => one.currency === currency);
  if (costBudget !== undefined && cost !== undefined) {
    return {
      currency,
      used: cost.amount,
      forecast: costForecast?.amount,
      range: costForecast?.range,
      budget: costBudget.amount,
    };
  }
  return {
    currency: undefined,
    used: figureOf(all, 'month')?.value,
    forecast: all.monthForecast,
    range: all.monthRange,
    budget: all.monthBudget,
  };
}

/** Whether the month exceeds its budget, or is expected to. */
export function isOverBudget(all: OrgFigures): boolean {
  const { used = 0, forecast = 0, budget } = monthOf(all);
  return budget !== undefined && Math.max(used, forecast) > budget;
}
