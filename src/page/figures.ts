import { addDays, type Day, type Instant } from '../catalog/day.ts';
import type { Cost } from '../catalog/settings.ts';
import { amountText, count, groupDigits, percent, readable, weekdayWord } from './format.ts';
import { card, dataDay, dayTime, type Html, html, moment, number } from './html.ts';
import { monthChart, ratioLine } from './line-chart.ts';
import type { Figure, FigureName, OrgFigures, Reason } from './org-figures.ts';
import { isUnusual, sparkline } from './sparkline.ts';
import { monthOf } from './totals.ts';

const TITLES: Readonly<Record<FigureName, string>> = {
  credits: 'Credits',
  people: 'Active people',
  commits: 'Commits',
  pullRequests: 'Pull requests',
  month: 'Credits, month to date',
  readiness: 'Readiness',
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
function titleOf({ name, currency }: Figure): string {
  return currency === undefined ? TITLES[name] : TITLES[name].replace('Credits', 'Cost');
}

/** Why there is no figure. */
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
export function differenceWords(
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

/** What the credits of a day are compared with. */
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

/** Marks what is above its budget. */
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
