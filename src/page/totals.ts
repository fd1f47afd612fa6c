import { count, readable } from './format.ts';
import { type Html, html, number } from './html.ts';
import { platformTitles } from './org.ts';
import type { Figure, FigureName, OrgFigures } from './org-figures.ts';
import { spendSentences } from './spend.ts';
import type { OrgStatus } from './status.ts';

const sorts = ['name', 'credits', 'people', 'pullRequests', 'month', 'readiness'] as const;

/** What an index can be sorted by: names ascending, figures descending. */
export type IndexSort = (typeof sorts)[number];

/** Whether a text names an order of the index. */
export function isIndexSort(text: string): text is IndexSort {
  return sorts.some((sort) => sort === text);
}

/** A month to date, in money where its budget is, else in credits. */
interface Month {
  readonly currency: string | undefined;
  readonly used: number | undefined;
  readonly forecast: number | undefined;
  readonly range: { readonly lower: number; readonly upper: number } | undefined;
  readonly budget: number | undefined;
}

/** The month in the unit of its budget. */
export function monthOf(all: OrgFigures): Month {
  const { costBudget, monthCosts, costForecast, monthBudget, monthForecast } = all;
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
    used: figureValue(all, 'month'),
    forecast: monthForecast,
    range: all.monthRange,
    budget: monthBudget,
  };
}

/** Whether the month exceeds its budget, or is expected to. */
export function isOverBudget(all: OrgFigures): boolean {
  const { used = 0, forecast = 0, budget } = monthOf(all);
  return budget !== undefined && Math.max(used, forecast) > budget;
}

/** The organizations in some order; by default those that fail come first, then those over their budget. */
export function sortedOrgs(
  orgs: readonly OrgStatus[],
  figures: ReadonlyMap<string, OrgFigures>,
  sort: IndexSort | undefined,
): readonly OrgStatus[] {
  const rank = ({ name, collectors }: OrgStatus): number => {
    const all = figures.get(name);
    if (sort === undefined) {
      if (collectors.some(({ failure }) => failure !== undefined)) return 2;
      return all !== undefined && isOverBudget(all) ? 1 : 0;
    }
    if (sort === 'name') return 0;
    return (all && figureValue(all, sort)) ?? Number.NEGATIVE_INFINITY;
  };
  const ranked = orgs.map((org) => ({ org, rank: rank(org) }));
  const byName = sort === undefined ? () => 0 : compareNames;
  return ranked
    .sort((one, other) => (one.rank === other.rank ? byName(one.org, other.org) : other.rank - one.rank))
    .map(({ org }) => org);
}

function compareNames(one: OrgStatus, other: OrgStatus): number {
  return one.name < other.name ? -1 : Number(one.name > other.name);
}

/** What organizations on several platforms used together, in sentences; undefined if all are on one. */
export function spendOfAll(orgs: readonly OrgStatus[], figures: ReadonlyMap<string, OrgFigures>) {
  const titleOf = platformTitles(orgs);
  const all = orgs.map((org) => {
    return { org: org.name, platform: titleOf(org), spends: figures.get(org.name)?.spends ?? [] };
  });
  if (all.every(({ platform }) => platform === undefined)) return undefined;
  const sentences = spendSentences(all, { forecast: 'forecast', percentSign: '%' });
  return html`<div class="happened">${sentences.map((one) => html`<p class="verdict">${one}</p>\n`)}</div>`;
}

/** The figures of all organizations of a platform together; of how many, where some are unknown. */
export function totals(
  orgs: readonly OrgStatus[],
  figures: ReadonlyMap<string, OrgFigures>,
): Html | undefined {
  const known = orgs.flatMap(({ name }) => figures.get(name) ?? []);
  if (known.length === 0) return undefined;
  const sum = (name: FigureName, noun: string) => {
    // Money is added by currency, and apart from credits.
    const values = known.flatMap((all) => {
      const { value, currency } = figureOf(all, name) ?? {};
      return value === undefined || currency !== undefined ? [] : [value];
    });
    if (values.length === 0) return undefined;
    const total = values.reduce((all, value) => all + value, 0);
    return html`<strong>${number(total)}</strong> ${noun}${partOf(values.length, orgs.length)}`;
  };
  const over = known.filter(isOverBudget).length;
  const parts = [
    sum('credits', 'credits on the newest day of each'),
    ...costs(known, orgs.length),
    sum('month', 'credits in the month'),
    sum('people', 'people active, counted in each'),
    over === 0 ? undefined : html`<span class="spike">▲ ${count(over, 'organization')} over budget</span>`,
  ].filter((part) => part !== undefined);
  return html`<p class="verdict">All ${count(orgs.length, 'organization')}: ${parts.map((part, index) => (index === 0 ? part : html`, ${part}`))}.</p>`;
}

/** The cost of the newest day in each currency. */
function costs(known: readonly OrgFigures[], orgs: number): readonly Html[] {
  const amounts = known.flatMap(({ dayCost }) => dayCost ?? []);
  return [...Map.groupBy(amounts, ({ currency }) => currency)].map(([currency, all]) => {
    const total = all.reduce((sum, { amount }) => sum + amount, 0);
    return html`<data value="${total}">${readable(total)}</data> ${currency}${partOf(all.length, orgs)}`;
  });
}

function partOf(some: number, all: number): string {
  return some === all ? '' : ` (${some} of ${count(all, 'organization')})`;
}

/** A figure by its name; undefined if its collector is disabled. */
export function figureOf({ figures }: OrgFigures, name: FigureName): Figure | undefined {
  return figures.find((figure) => figure.name === name);
}

/** The value of a figure; undefined if it is unknown. */
function figureValue(all: OrgFigures, name: FigureName): number | undefined {
  return figureOf(all, name)?.value;
}
