import { changeWords, markOf, overBudget, valueHtml, valueText } from './figures.ts';
import { count } from './format.ts';
import { dayTime, type Html, html } from './html.ts';
import { healthWords, orgPageHref, platformTitles } from './org.ts';
import type { Figure, FigureName, OrgFigures } from './org-figures.ts';
import { sparkline } from './sparkline.ts';
import type { OrgStatus } from './status.ts';
import { cell, columnHead, table } from './table.ts';
import { figureOf, type IndexSort, isIndexSort, isOverBudget, monthOf, totals } from './totals.ts';

/** Maximum number of organizations on one page of the index. */
export const INDEX_ROWS = 500;

const COLUMNS: readonly (readonly [FigureName, string])[] = [
  ['credits', 'Credits'],
  ['people', 'Active people'],
  ['pullRequests', 'Pull requests'],
  ['month', 'Month to date'],
  ['readiness', 'Readiness'],
];

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
  if (key !== sort) {
    return html`<th scope="col" role="columnheader"><a href="?sort=${key}">${title}</a></th>`;
  }
  const order = key === 'name' ? 'ascending' : 'descending';
  return html`<th scope="col" role="columnheader" aria-sort="${order}"><a href="./">${title}</a> ${order === 'ascending' ? '▲' : '▼'}</th>`;
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

/** The share of the budget that is used, or that will be if only the forecast exceeds it. */
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
