import type { Figure, FigureName, OrgFigures } from '../figures.ts';
import type { OrgStatus } from '../status.ts';
import { changeWords, markOf, valueText } from './figures.ts';
import { count } from './format.ts';
import { dayTime, type Html, html, number } from './html.ts';
import { healthWords, orgPageHref } from './org.ts';
import { sparkline } from './sparkline.ts';
import { type IndexSort, isIndexSort, isOverBudget } from './totals.ts';

/** Maximum number of organizations on one page of the index. */
export const INDEX_ROWS = 500;

const COLUMNS: readonly (readonly [FigureName, string])[] = [
  ['credits', 'Credits'],
  ['people', 'Active people'],
  ['pullRequests', 'Pull requests'],
  ['month', 'Month to date'],
  ['readiness', 'Readiness'],
];

interface OverviewParts {
  /** The organizations of this page of the index. */
  readonly orgs: readonly OrgStatus[];
  /** The cells with their figures, by name. */
  readonly cells: ReadonlyMap<string, Html>;
  /** The number of this page, from 1, and of all. */
  readonly page: number;
  readonly pages: number;
  readonly sort?: IndexSort | undefined;
}

/** A table of many organizations with their main figures; each has a page of its own. */
export function overview({ orgs, cells, page, pages, sort }: OverviewParts): Html {
  const columns: readonly (readonly [string, string])[] = [
    ['name', 'Organization'],
    ['', 'Data of'],
    ...COLUMNS,
    ['', 'Last 30 days'],
    ['', 'Collectors'],
  ];
  const heads = columns.map(([key, title]) => head(key, title, sort));
  return html`<section class="overview" aria-labelledby="organizations">
<h2 id="organizations">Organizations</h2>
<table role="table" aria-labelledby="organizations">
<thead role="rowgroup"><tr role="row">${heads}</tr></thead>
<tbody role="rowgroup">${orgs.map((org) => row(org, cells.get(org.name)))}</tbody>
</table>
${pages > 1 ? pageLinks(page, pages, sort) : undefined}
</section>`;
}

/** The head of a column, which sorts by it if it has a key. */
function head(key: string, title: string, sort: IndexSort | undefined): Html {
  if (!isIndexSort(key)) return html`<th scope="col" role="columnheader">${title}</th>`;
  if (key !== sort) {
    return html`<th scope="col" role="columnheader"><a href="?sort=${key}">${title}</a></th>`;
  }
  const order = key === 'name' ? 'ascending' : 'descending';
  return html`<th scope="col" role="columnheader" aria-sort="${order}"><a href="./">${title}</a> ${order === 'ascending' ? '▲' : '▼'}</th>`;
}

function row(org: OrgStatus, cells: Html | undefined): Html {
  return html`<tr role="row"><th scope="row" role="rowheader"><a href="${orgPageHref(org.name)}">${org.name}</a></th>
${cells ?? nothing}
${cell('Collectors', health(org))}</tr>
`;
}

function health({ collectors }: OrgStatus): Html {
  const words = healthWords(collectors);
  const isFailing = collectors.some(({ failure }) => failure !== undefined);
  return isFailing ? html`<span class="state failing">✕ ${words}</span>` : html`${words}`;
}

/** The figures of an organization as cells of its row. */
export function summaryCells(org: string, all: OrgFigures): Html {
  const figureOf = (name: FigureName) => all.figures.find((figure) => figure.name === name);
  const credits = figureOf('credits');
  const day = credits?.day;
  const chart =
    credits === undefined || credits.trend.length === 0
      ? undefined
      : sparkline({
          id: `c-${encodeURIComponent(org.toWellFormed())}`,
          title: `Credits of ${org}, the last ${credits.trend.length} days`,
          trend: credits.trend,
          format: (value) => valueText('credits', value),
        });
  return html`${cell('Data of', day === undefined ? unknown : dayTime(day))}
${COLUMNS.map(([name, title]) => cell(title, figureCell(figureOf(name), all)))}
${cell('Last 30 days', chart ?? unknown)}`;
}

const overBudget = html` <span class="spike">▲ over budget</span>`;

const unknown = html`<span class="none">unknown</span>`;

/** The cells of an organization without figures. */
const nothing = html`${['Data of', ...COLUMNS.map(([, title]) => title), 'Last 30 days'].map((title) => cell(title, unknown))}`;

function figureCell(figure: Figure | undefined, all: OrgFigures | undefined): Html {
  if (figure?.value === undefined) return unknown;
  const { name, value } = figure;
  const budget = all?.monthBudget;
  const words =
    name !== 'month' ? changeWords(figure) : budget && `${Math.round((value / budget) * 100)}% of the budget`;
  const warning = name === 'month' && all !== undefined && isOverBudget(all) ? overBudget : undefined;
  return html`${number(value, valueText(name, value))}${markOf(figure)}${
    words === undefined ? undefined : html` <small>${words}</small>`
  }${warning}`;
}

/** A cell that a narrow window shows with its title. */
export function cell(title: string, content: Html): Html {
  return html`<td role="cell" data-title="${title}"><div>${content}</div></td>`;
}

function pageLinks(page: number, pages: number, sort: IndexSort | undefined): Html {
  const order = sort === undefined ? '' : `&sort=${sort}`;
  const previous = page > 1 ? html`<a href="?page=${page - 1}${order}">Previous</a>` : undefined;
  const next = page < pages ? html`<a href="?page=${page + 1}${order}">Next</a>` : undefined;
  return html`<nav aria-label="Pages of organizations"><p>Page ${page} of ${count(pages, 'page')}. ${previous} ${next}</p></nav>`;
}
