import { lastOfMonth, restOfMonth } from '../catalog/day.ts';
import { chart, HEIGHT, path, round } from './chart.ts';
import { dayWords, percent, readable } from './format.ts';
import { dayTime, type Html, html } from './html.ts';
import type { OrgFigures, TrendDay } from './org-figures.ts';

const WIDTH = 240;
/** Space above and below a line, so that its ends are not cut off. */
const MARGIN = 2;
/** Bounds of a ratio are multiples of this. */
const STEP = 0.05;

/** A ratio by day as a line between the bounds that its values need, which are written below. */
export function ratioLine(id: string, title: string, trend: readonly TrendDay[]): Html | undefined {
  const values = trend.flatMap(({ value }) => value ?? []);
  const [first, last] = [trend[0], trend.at(-1)];
  if (first === undefined || last === undefined || values.length === 0) return undefined;
  const low = Math.max(0, (Math.floor(Math.min(...values) / STEP) - 1) * STEP);
  const high = Math.min(1, (Math.ceil(Math.max(...values) / STEP) + 1) * STEP);
  const y = (value: number) =>
    round(HEIGHT - MARGIN - ((value - low) / (high - low)) * (HEIGHT - 2 * MARGIN));
  const x = (index: number) => round((index / Math.max(1, trend.length - 1)) * WIDTH);
  const steps = trend.map(({ value }, index) => {
    if (value === undefined) return '';
    return `${trend[index - 1]?.value === undefined ? 'M' : 'L'}${x(index)} ${y(value)}`;
  });
  const bounds = `${percent(low)} to ${percent(high)}`;
  const described = `Between ${percent(Math.min(...values))} and ${percent(Math.max(...values))}, on a scale from ${bounds}.`;
  return html`${chart({ id, title, described, width: WIDTH }, html`${path('line', steps)}`)}
<p class="ends">${dayTime(first.day)} <span>scale ${bounds}</span> ${dayTime(last.day)}</p>`;
}

/** The credits of a month as bars that add up from its first day, with the forecast and the budget as lines. */
export function monthChart(
  id: string,
  title: string,
  trend: readonly TrendDay[],
  { monthForecast, monthBudget, monthStarts }: OrgFigures,
): Html | undefined {
  const [first, last] = [trend[0], trend.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const days = trend.length + restOfMonth(last.day, monthStarts).length;
  const top = Math.max(1, monthForecast ?? 0, ...trend.map(({ value = 0 }) => value));
  // A budget far above would flatten the bars.
  const budget = monthBudget === undefined || monthBudget > 3 * top ? undefined : monthBudget;
  const y = (value: number) => round(HEIGHT - (value / Math.max(top, budget ?? 0)) * (HEIGHT - MARGIN));
  const width = WIDTH / days;
  const bars = trend.map(({ value }, index) =>
    value === undefined
      ? ''
      : `M${round(index * width)} ${HEIGHT}V${y(value)}h${round(width * 0.75)}V${HEIGHT}z`,
  );
  const ahead =
    monthForecast === undefined || last.value === undefined
      ? undefined
      : html`<path class="ahead" d="M${round(trend.length * width)} ${y(last.value)}L${WIDTH} ${y(monthForecast)}"/>`;
  const limit = budget && html`<path class="budget" d="M0 ${y(budget)}H${WIDTH}"/>`;
  const described = [
    `From ${dayWords(first.day)} to ${dayWords(last.day)}: ${last.value === undefined ? 'unknown' : readable(last.value)}.`,
    ...(monthForecast === undefined ? [] : [`Forecast of the month: ${readable(monthForecast)}.`]),
    ...(monthBudget === undefined ? [] : [`Budget: ${readable(monthBudget)}.`]),
  ].join(' ');
  return html`${chart({ id, title, described, width: WIDTH }, html`${path('bars', bars)}${ahead}${limit || undefined}`)}
<p class="ends">${dayTime(first.day)} ${dayTime(lastOfMonth(last.day, monthStarts))}</p>`;
}
