import { addDays, type Day, firstOfMonth, type Instant } from '../catalog/day.ts';
import type { Cost } from '../catalog/settings.ts';
import { isUnusual, monthChart, ratioLine, sparkline } from './charts.ts';
import { amountText, count, groupDigits, percent, readable, tenths, weekdayWord } from './format.ts';
import {
  andMore,
  card,
  cell,
  columnHead,
  dataDay,
  dayTime,
  type Html,
  html,
  moment,
  number,
  table,
} from './html.ts';
import { monthOf } from './month.ts';
import type {
  Amount,
  Breakdown,
  BreakdownName,
  Figure,
  FigureName,
  OrgFigures,
  Reason,
  TeamMonth,
} from './org-figures.ts';

const TITLES: Readonly<Record<FigureName | BreakdownName, string>> = {
  credits: 'Credits',
  people: 'Active people',
  commits: 'Commits',
  pullRequests: 'Pull requests',
  month: 'Credits, month to date',
  readiness: 'Readiness',
  models: 'Credits by model',
  clients: 'People by client',
  tools: 'Tool calls',
  servers: 'Calls of MCP servers',
  teams: 'Credits by team',
  repositories: 'Readiness by repository, lowest first',
};

/** The figures of an organization as cards; `id` is unique on the page. */
export function figureCards(figures: OrgFigures | undefined, id: string, now: Instant): Html {
  if (figures === undefined) return html`<p class="none">No figures yet.</p>`;
  const cards = figures.figures.map((figure) => {
    const { name, value } = figure;
    const own = `${id}-${name}`;
    const content = value === undefined ? absence(figure) : presence(figure, figures, own, now);
    return card(` ${name}`, own, titleOf(figure), content);
  });
  return html`<div class="figures">${cards}</div>`;
}

/** The title of a figure, which is of the cost where there are no credits. */
function titleOf({ name, currency }: Pick<Figure | Breakdown, 'name' | 'currency'>): string {
  return currency === undefined ? TITLES[name] : TITLES[name].replace('Credits', 'Cost');
}

/** The text that says why there is no figure. */
function absence({ isPublished, name }: Figure): Html {
  if (!isPublished) return html`<p class="none">Not published: excluded by metrics.exclude.</p>`;
  if (name === 'month') return html`<p class="none">Unknown: a day of the month is not known yet.</p>`;
  return html`<p class="none">Not known yet.</p>`;
}

function presence(figure: Figure, all: OrgFigures, id: string, now: Instant): Html {
  const { name, value = 0, currency } = figure;
  return html`<p class="value">${valueHtml(figure, value)}${markOf(figure)}</p>
${name === 'credits' && all.dayCost && currency === undefined ? html`<p class="cost">${money(all.dayCost)}</p>` : undefined}
<p class="of">${name === 'readiness' ? reports(all, now) : figure.day && dataDay(figure.day, now)}</p>
${name === 'month' ? undefined : html`<p class="change">${changeText(figure, name === 'credits' ? all.reason : undefined)}</p>`}
${name === 'month' ? month(all, currency) : undefined}${name === 'readiness' ? worse(all) : undefined}
${chartOf(figure, all, id)}`;
}

/** A value of a figure, in its currency if it has one. */
export function valueHtml({ name, currency }: Figure, value: number): Html {
  return currency === undefined ? number(value, valueText(name, value)) : money({ currency, amount: value });
}

function chartOf(figure: Figure, all: OrgFigures, id: string): Html | undefined {
  const { name, trend } = figure;
  const [first, last] = [trend[0], trend.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const title = `${titleOf(figure)}, ${count(trend.length, 'day')}`;
  if (name === 'month') return monthChart(id, title, trend, all);
  if (name === 'readiness') return ratioLine(id, title, trend);
  return html`${sparkline({ id, title, trend, format: (of) => valueText(name, of) })}
<p class="ends">${dayTime(first.day)} ${dayTime(last.day)}</p>`;
}

/** A ratio as a percentage, counts as readable numbers. */
export function valueText(name: FigureName, value: number): string {
  return name === 'readiness' ? percent(value) : readable(value);
}

/** Marks a day above its expected upper bound. */
export function markOf({ trend }: Figure): Html | undefined {
  const day = trend.at(-1);
  if (day === undefined || !isUnusual(day)) return undefined;
  return html` <span class="spike">▲ unusually high</span>`;
}

/** The change since the week before, such as `+12%`; undefined if either is unknown. */
export function changeWords({ name, value, weekBefore }: Figure): string | undefined {
  return differenceWords(value, weekBefore, name === 'readiness');
}

/** The difference of two values in words; of ratios in points. */
function differenceWords(
  value: number | undefined,
  before: number | undefined,
  isRatio: boolean,
): string | undefined {
  if (value === undefined || before === undefined) return undefined;
  if (value === before) return 'no change';
  const sign = value > before ? '+' : '−';
  const difference = Math.abs(value - before);
  if (isRatio) {
    const points = (difference * 100).toFixed(1);
    return `${points === '0.0' ? '±' : sign}${points} points`;
  }
  if (before <= 0) return `${sign}${readable(difference)}`;
  if (isMultiple(value, before)) return `× ${groupDigits(Math.round(value / before))}`;
  const share = Math.round((difference / before) * 100);
  return share === 0 ? '±0%' : `${sign}${groupDigits(share)}%`;
}

/** Whether a value is so much above another one that a percentage would be hard to read. */
export function isMultiple(value: number, before: number): boolean {
  return value > 11 * before;
}

/** The text that says with what the credits of a day are compared. */
export function usualWords({ weeks }: Reason, day: Day): string {
  const weekday = weekdayWord(day);
  return weeks === 1 ? `the last ${weekday}` : `the mean of ${weeks} ${weekday}s before`;
}

function changeText(figure: Figure, reason: Reason | undefined): Html {
  if (figure.day === undefined) return html``;
  if (reason !== undefined) {
    const words = differenceWords(figure.value, reason.usual, false);
    return html`${words} against ${usualWords(reason, figure.day)} <span class="none">(${readable(reason.usual)})</span>`;
  }
  const words = changeWords(figure);
  const before = addDays(figure.day, -7);
  if (words === undefined) return html`<span class="none">unknown a week before</span>, ${dayTime(before)}`;
  return html`${words} against ${dayTime(before)} <span class="none">(${valueText(figure.name, figure.weekBefore ?? 0)})</span>`;
}

function month(all: OrgFigures, own: string | undefined): Html {
  const { used, forecast, range, budget, currency } = monthOf(all);
  const amountOf = (amount: number) =>
    currency === undefined ? number(amount) : money({ currency, amount });
  const share = (part: number | undefined, what: string) =>
    part === undefined || budget === undefined || budget === 0
      ? undefined
      : html` <span class="share">(${percent(part / budget)} ${what})</span>`;
  const lines = [
    all.monthCosts.length > 0 &&
      own === undefined &&
      html`<dt>Cost</dt><dd>${all.monthCosts.map((cost, index) => html`${index > 0 ? ' and ' : undefined}${money(cost)}`)}</dd>`,
    budget !== undefined && html`<dt>Budget</dt><dd>${amountOf(budget)}${share(used, 'used')}</dd>`,
    forecast !== undefined &&
      html`<dt>Forecast</dt><dd>${amountOf(forecast)}${rangeOf(range, currency)}${share(forecast, 'of the budget')}${overBudget(budget !== undefined && forecast > budget)}</dd>`,
  ];
  const shown = lines.filter((line) => typeof line === 'object');
  return shown.length === 0 ? html`` : html`<dl>${shown}</dl>`;
}

function rangeOf(range: OrgFigures['monthRange'], currency: string | undefined): Html | undefined {
  if (range === undefined) return undefined;
  // Whole units would say nothing of small amounts.
  const [lower, upper] = [range.lower, range.upper].map((amount) =>
    currency === undefined || range.upper >= 100 ? readable(amount) : amountText({ currency, amount }),
  );
  return html` <span class="share">(${lower} to ${upper})</span>`;
}

/** Marks an amount above its budget. */
export function overBudget(isOver: boolean): Html | undefined {
  return isOver ? html` <span class="spike">▲ over budget</span>` : undefined;
}

/** An amount of money in readable digits. */
export function money(cost: Cost): Html {
  const { currency, amount } = cost;
  const text = amountText(cost);
  return html`<data value="${amount}" title="${text}">${Math.abs(amount) < 10_000 ? text : readable(amount)}</data> ${currency}`;
}

function reports({ repositories, newestReportAt }: OrgFigures, now: Instant): Html {
  return html`mean of ${count(repositories, 'repository', 'repositories')}, newest report ${moment(newestReportAt, now)}`;
}

function worse({ worse: listed, worseCount }: OrgFigures): Html {
  if (worseCount === 0) return html`<p>No criterion got worse.</p>`;
  const items = listed.map(({ repo, criteria, ratio, previous }) => {
    // Other criteria can have risen by more.
    const change =
      ratio === undefined || previous === undefined ? '' : `; ratio ${percent(previous)} → ${percent(ratio)}`;
    return html`<li><strong>${repo}</strong> ${count(criteria, 'criterion', 'criteria')} worse${change}</li>`;
  });
  const rest = worseCount - listed.length;
  return html`<p>Criteria got worse in ${count(worseCount, 'repository', 'repositories')}:</p>
<ul class="worse">${items}${rest > 0 ? html`<li>and ${groupDigits(rest)} more</li>` : undefined}</ul>`;
}

/** The parts of an organization's figures as cards; `id` is unique on the page. */
export function breakdownCards(all: OrgFigures, id: string): Html | undefined {
  const { breakdowns = [] } = all;
  if (breakdowns.length === 0) return undefined;
  return html`<div class="breakdowns">${breakdowns.map((one) => cardOf(one, all, `${id}-${one.name}`))}</div>`;
}

function cardOf(breakdown: Breakdown, all: OrgFigures, id: string): Html {
  const { name, rows, rest } = breakdown;
  const isRatio = name === 'repositories';
  const largest = isRatio ? 1 : (rows[0]?.value ?? 1);
  const items = rows.map(({ label, value, before }) => {
    const change = differenceWords(value, before, isRatio);
    const width = Math.round((value / largest) * 100);
    return html`<li><span class="name">${breakable(label)}</span> ${isRatio ? number(value, percent(value)) : number(value, name === 'clients' ? tenths(value) : readable(value))}
<span class="change">${change ?? ''}</span><svg class="part" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><path d="M0 0h${width}v1H0z"/></svg></li>`;
  });
  const content = html`<p class="of">${periodOf(breakdown)}${name === 'clients' && all.seats !== undefined ? html`, of ${number(all.seats)} seats` : undefined}</p>
<ol class="parts">${items}</ol>
${andMore(rest)}`;
  return card('', id, titleOf(breakdown), content);
}

/** A name that a narrow card breaks after a slash. */
function breakable(name: string): readonly Html[] {
  return name.split('/').map((part, index) => (index === 0 ? html`${part}` : html`/<wbr>${part}`));
}

function periodOf({ name, day }: Breakdown): Html {
  if (name === 'repositories') return html`against the previous report of each`;
  const mean = name === 'clients' ? ', a day on average' : '';
  return html`${dayTime(addDays(day, -6))} to ${dayTime(day)}${mean}, against the 7 days before`;
}

const TEAM_COLUMNS: readonly (readonly [title: string, content: (month: TeamMonth) => Html | undefined])[] = [
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
  const columns = TEAM_COLUMNS.filter(([, content]) => teams.some((month) => content(month) !== undefined));
  const heads = ['Team', ...columns.map(([title]) => title)];
  const rows = teams.map(
    (month) => html`<tr role="row"><th scope="row" role="rowheader">${month.team}</th>
${columns.map(([title, content]) => cell(title, content(month) ?? html``))}</tr>
`,
  );
  const content = html`<p class="of">${dayTime(firstOfMonth(day, monthStarts))} to ${dayTime(day)}</p>
${table(
  `${id}-months`,
  heads.map((title) => columnHead(title)),
  rows,
)}
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
