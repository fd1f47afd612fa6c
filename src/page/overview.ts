import { firstOfMonth } from '../catalog/day.ts';
import { sparkline } from './charts.ts';
import { changeWords, markOf, overBudget, valueHtml, valueText } from './figures.ts';
import { count, readable } from './format.ts';
import { cell, columnHead, dayTime, type Html, html, number, table } from './html.ts';
import { figureOf, isOverBudget, monthOf } from './month.ts';
import { healthWords, orgPageHref, platformTitles } from './org.ts';
import type { Figure, FigureName, OrgFigures } from './org-figures.ts';
import { spendSentences } from './spend.ts';
import type { OrgStatus } from './status.ts';

/** Maximum number of organizations on one page of the index. */
export const INDEX_ROWS = 500;

const COLUMNS = [
  ['credits', 'Credits'],
  ['people', 'Active people'],
  ['pullRequests', 'Pull requests'],
  ['month', 'Month to date'],
  ['readiness', 'Readiness'],
] as const;

/** What an index can be sorted by: names ascending, figures descending. */
export type IndexSort = 'name' | (typeof COLUMNS)[number][0];

/** Whether a text names an order of the index. */
export function isIndexSort(text: string): text is IndexSort {
  return text === 'name' || COLUMNS.some(([name]) => name === text);
}

/** A page of the index: its number, from 1, and that of all. */
export interface IndexPage {
  readonly page: number;
  readonly pages: number;
  readonly sort?: IndexSort | undefined;
}

/**
 * A table of the organizations of this page of the index with their main figures, in a step for each; each has a page of its
 * own. Where `all` are on several platforms, those of each are below a row with its totals.
 */
export function* overview(
  orgs: readonly OrgStatus[],
  all: readonly OrgStatus[],
  figures: ReadonlyMap<string, OrgFigures>,
  { page, pages, sort }: IndexPage,
): Generator<void, Html> {
  const columns: readonly (readonly [string, string])[] = [
    ['name', 'Organization'],
    ['', 'Data of'],
    ...COLUMNS,
    ['', 'Last 30 days'],
    ['', 'Collectors'],
  ];
  const isMoney = orgs.some(({ name }) => figures.get(name)?.figures.some((one) => one.currency));
  const heads = columns.map(([key, title]) =>
    head(key, isMoney && key === 'credits' ? 'Credits or cost' : title, sort),
  );
  const titleOf = platformTitles(all);
  const rows: Html[] = [];
  for (const org of orgs) {
    const platform = titleOf(org);
    const isBeside = (one: OrgStatus) => one.platform.name === org.platform.name;
    if (platform !== undefined && org === orgs.find(isBeside)) {
      rows.push(html`<tr role="row"><td role="cell" colspan="${heads.length}"><h3>${platform}</h3>
${totals(all.filter(isBeside), figures)}</td></tr>\n`);
    }
    rows.push(row(org, figures.get(org.name)));
    yield;
  }
  return html`<section class="overview" aria-labelledby="organizations">
<h2 id="organizations">Organizations</h2>
${table('organizations', heads, rows)}
${pages > 1 ? pageLinks(page, pages, sort) : undefined}
</section>`;
}

/** The head of a column, which sorts by it if it has a key. */
function head(key: string, title: string, sort: IndexSort | undefined): Html {
  if (!isIndexSort(key)) return columnHead(title);
  if (key !== sort) return columnHead(html`<a href="?sort=${key}">${title}</a>`);
  const [order, mark] = key === 'name' ? (['ascending', '▲'] as const) : (['descending', '▼'] as const);
  return columnHead(html`<a href="./">${title}</a> ${mark}`, order);
}

function row(org: OrgStatus, figures: OrgFigures | undefined): Html {
  return html`<tr role="row"><th scope="row" role="rowheader"><a href="${orgPageHref(org.name)}">${org.name}</a></th>
${figures === undefined ? nothing : summaryCells(org.name, figures)}
${cell('Collectors', health(org))}</tr>
`;
}

function health({ collectors }: OrgStatus): Html {
  const words = healthWords(collectors);
  const isFailing = collectors.some(({ failure }) => failure !== undefined);
  return isFailing ? html`<span class="state failing">✕ ${words}</span>` : html`${words}`;
}

/** The figures of an organization as cells of its row. */
function summaryCells(org: string, all: OrgFigures): Html {
  const credits = figureOf(all, 'credits');
  const day = credits?.day;
  const chart =
    credits === undefined || credits.trend.length === 0
      ? undefined
      : sparkline({
          id: `c-${encodeURIComponent(org.toWellFormed())}`,
          title: `${credits.currency === undefined ? 'Credits' : 'Cost'} of ${org}, the last ${credits.trend.length} days`,
          trend: credits.trend,
          format: (value) => valueText('credits', value),
        });
  return html`${cell('Data of', day === undefined ? unknown : dayTime(day))}
${COLUMNS.map(([name, title]) => cell(title, figureCell(figureOf(all, name), all)))}
${cell('Last 30 days', chart ?? unknown)}`;
}

const unknown = html`<span class="none">unknown</span>`;

/** The cells of an organization without figures. */
const nothing = html`${['Data of', ...COLUMNS.map(([, title]) => title), 'Last 30 days'].map((title) => cell(title, unknown))}`;

function figureCell(figure: Figure | undefined, all: OrgFigures): Html {
  if (figure?.value === undefined) return unknown;
  const { name, value } = figure;
  const words = name === 'month' ? budgetWords(all) : changeWords(figure);
  return html`${valueHtml(figure, value)}${markOf(figure)}${
    words === undefined ? undefined : html` <small>${words}</small>`
  }${overBudget(name === 'month' && isOverBudget(all))}`;
}

/** The used share of the budget; the forecast share if only the forecast exceeds the budget. */
function budgetWords(all: OrgFigures): string | undefined {
  const { used, forecast = 0, budget } = monthOf(all);
  if (used === undefined || budget === undefined) return undefined;
  const isExpected = used <= budget && forecast > budget;
  const share = Math.round(((isExpected ? forecast : used) / budget) * 100);
  return `${share}% of the budget${isExpected ? ' expected' : ''}`;
}

function pageLinks(page: number, pages: number, sort: IndexSort | undefined): Html {
  const order = sort === undefined ? '' : `&sort=${sort}`;
  const previous = page > 1 ? html`<a href="?page=${page - 1}${order}">Previous</a>` : undefined;
  const next = page < pages ? html`<a href="?page=${page + 1}${order}">Next</a>` : undefined;
  return html`<nav aria-label="Pages of organizations"><p>Page ${page} of ${count(pages, 'page')}. ${previous} ${next}</p></nav>`;
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
    return (all && figureOf(all, sort)?.value) ?? Number.NEGATIVE_INFINITY;
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

/** The figures of all organizations of a platform together; of how many, where some are unknown. Different months are not added. */
export function totals(
  orgs: readonly OrgStatus[],
  figures: ReadonlyMap<string, OrgFigures>,
): Html | undefined {
  const known = orgs.flatMap(({ name }) => figures.get(name) ?? []);
  if (known.length === 0) return undefined;
  const sum = (name: FigureName, noun: string) => {
    // Sums money per currency, and separately from credits.
    const values = known.flatMap((all) => {
      const { value, currency } = figureOf(all, name) ?? {};
      return value === undefined || currency !== undefined ? [] : [value];
    });
    if (values.length === 0) return undefined;
    const total = values.reduce((all, value) => all + value, 0);
    return html`<strong>${number(total)}</strong> ${noun}${partOf(values.length, orgs.length)}`;
  };
  const months = known.flatMap((all) => {
    const { day, value } = figureOf(all, 'month') ?? {};
    return day === undefined || value === undefined ? [] : [firstOfMonth(day, all.monthStarts)];
  });
  const over = known.filter(isOverBudget).length;
  const parts = [
    sum('credits', 'credits on the newest day of each'),
    ...costs(known, orgs.length),
    new Set(months).size > 1 ? undefined : sum('month', 'credits in the month'),
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
