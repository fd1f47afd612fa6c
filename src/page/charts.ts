import { lastOfMonth, restOfMonth } from '../catalog/day.ts';
import { count, dayWords, percent, readable } from './format.ts';
import { dayTime, type Html, html } from './html.ts';
import type { OrgFigures, TrendDay } from './org-figures.ts';

/** The height of every chart, in units of its view box. */
const HEIGHT = 48;

/** An inline SVG that says in words, `described`, what it shows; `id` is unique on the page. */
function chart(id: string, title: string, described: string, width: number, content: readonly Path[]): Html {
  return html`<svg class="spark" viewBox="0 0 ${width} ${HEIGHT}" role="img"
preserveAspectRatio="none" aria-labelledby="${id}-t ${id}-d"><title id="${id}-t">${title}</title><desc id="${id}-d">${described}</desc>${content}</svg>`;
}

type Path = Html | undefined;

/** A path in the style of its kind; undefined without steps. */
function path(kind: string, steps: readonly string[]): Path {
  return steps.length === 0 ? undefined : html`<path class="${kind}" d="${steps.join('')}"/>`;
}

/** A coordinate to a tenth, which is finer than anything that is seen. */
function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** The width of a day and of its bar. */
const STEP = 8;
const BAR = 6;
/** Room above the bars for the marks of unusual days. */
const HEADROOM = 6;
/** The height of a bar for 0: a line, so that it differs from a gap. */
const MIN_BAR = 1;
/** Bounds above the scale are not drawn: they would flatten the bars. */
const MAX_BOUND = 1.5;
/** A bar above this multiple of its bound is clipped, so that the others stay readable. */
const CLIP = 2;
/** The gap in a clipped bar, as distances from the top. */
const GAP = [10, 13] as const;

interface SparklineParts {
  /** Unique on the page. */
  readonly id: string;
  readonly title: string;
  readonly trend: readonly TrendDay[];
  /** Formats a value for the description. */
  format(value: number): string;
}

/** Whether a day is above its expected upper bound. */
export function isUnusual({ value, upper }: TrendDay): boolean {
  return value !== undefined && upper !== undefined && value > upper;
}

/**
 * A bar per day as inline SVG. Unknown days are gaps; unusual days have another fill and a mark above the bar, and the
 * expected upper bound is a line. The description states the same in words.
 */
export function sparkline(parts: SparklineParts): Html {
  const { id, title, trend } = parts;
  const scale = scaleOf(parts);
  const usual: string[] = [];
  const unusual: string[] = [];
  const marks: string[] = [];
  const bounds: string[] = [];
  for (const [index, day] of trend.entries()) {
    const x = index * STEP;
    const top = day.value === undefined ? HEIGHT : scale(day.value);
    if (day.value !== undefined) {
      const bar = isClipped(day) ? clippedBar(x) : `M${x} ${HEIGHT}V${top}h${BAR}V${HEIGHT}z`;
      if (isUnusual(day)) {
        unusual.push(bar);
        marks.push(`M${x} ${(isClipped(day) ? HEADROOM : top) - HEADROOM}h${BAR}l-${BAR / 2} 4z`);
      } else usual.push(bar);
    }
    const bound = day.upper === undefined ? -1 : scale(day.upper);
    if (bound >= 0) bounds.push(`M${x - 1} ${bound}h${STEP}`);
  }
  return chart(id, title, describe(parts), STEP * Math.max(trend.length, 1), [
    path('bars', usual),
    path('unusual', unusual),
    path('unusual', marks),
    path('bound', bounds),
  ]);
}

function isClipped({ value = 0, upper = Number.POSITIVE_INFINITY }: TrendDay): boolean {
  return upper > 0 && value > CLIP * upper;
}

/** A bar with a gap below its top, which says that it is higher than drawn. */
function clippedBar(x: number): string {
  const [end, start] = GAP;
  return `M${x} ${HEIGHT}V${start}h${BAR}V${HEIGHT}zM${x} ${end}V${HEADROOM}h${BAR}V${end}z`;
}

/** The vertical position of a value; negative for a bound that does not fit. */
function scaleOf({ trend }: SparklineParts): (value: number) => number {
  const largest = Math.max(
    0,
    ...trend.map((day) => (isClipped(day) ? CLIP * (day.upper ?? 0) : (day.value ?? 0))),
  );
  const bounds = trend.flatMap(({ upper }) => upper ?? []).filter((upper) => upper <= largest * MAX_BOUND);
  const top = Math.max(largest, ...bounds);
  return (value) => {
    if (top === 0) return value === 0 ? HEIGHT - MIN_BAR : -1;
    if (value > top) return -1;
    const height = Math.max(MIN_BAR, (value / top) * (HEIGHT - HEADROOM));
    return round(HEIGHT - height);
  };
}

function describe({ trend, format }: SparklineParts): string {
  const [first, last] = [trend[0], trend.at(-1)];
  if (first === undefined || last === undefined) return 'No days are known.';
  const known = trend.flatMap(({ value }) => value ?? []);
  const unknown = trend.length - known.length;
  const unusual = trend.filter(isUnusual);
  const sentences = [`${count(trend.length, 'day')} from ${dayWords(first.day)} to ${dayWords(last.day)}.`];
  if (known.length > 0) {
    sentences.push(`Lowest ${format(Math.min(...known))}, highest ${format(Math.max(...known))}.`);
  }
  if (unknown > 0) sentences.push(`${count(unknown, 'day')} unknown.`);
  if (unusual.length > 0) {
    sentences.push(`Above the expected upper bound: ${unusual.map(({ day }) => dayWords(day)).join(', ')}.`);
  }
  const clipped = trend.filter(isClipped);
  if (clipped.length > 0) {
    sentences.push(`Clipped at twice the bound: ${clipped.map(({ day }) => dayWords(day)).join(', ')}.`);
  }
  return sentences.join(' ');
}

const WIDTH = 240;
/** Space above and below a line, so that its ends are not cut off. */
const MARGIN = 2;
/** Bounds of a ratio are multiples of this. */
const RATIO_STEP = 0.05;

/** A ratio by day as a line between the bounds that its values need, which are written below. */
export function ratioLine(id: string, title: string, trend: readonly TrendDay[]): Html | undefined {
  const values = trend.flatMap(({ value }) => value ?? []);
  const [first, last] = [trend[0], trend.at(-1)];
  if (first === undefined || last === undefined || values.length === 0) return undefined;
  const low = Math.max(0, (Math.floor(Math.min(...values) / RATIO_STEP) - 1) * RATIO_STEP);
  const high = Math.min(1, (Math.ceil(Math.max(...values) / RATIO_STEP) + 1) * RATIO_STEP);
  const y = (value: number) =>
    round(HEIGHT - MARGIN - ((value - low) / (high - low)) * (HEIGHT - 2 * MARGIN));
  const x = (index: number) => round((index / Math.max(1, trend.length - 1)) * WIDTH);
  const steps = trend.map(({ value }, index) => {
    if (value === undefined) return '';
    return `${trend[index - 1]?.value === undefined ? 'M' : 'L'}${x(index)} ${y(value)}`;
  });
  const bounds = `${percent(low)} to ${percent(high)}`;
  const described = `Between ${percent(Math.min(...values))} and ${percent(Math.max(...values))}, on a scale from ${bounds}.`;
  return html`${chart(id, title, described, WIDTH, [path('line', steps)])}
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
      ? []
      : [`M${round(trend.length * width)} ${y(last.value)}L${WIDTH} ${y(monthForecast)}`];
  const limit = budget ? [`M0 ${y(budget)}H${WIDTH}`] : [];
  const described = [
    `From ${dayWords(first.day)} to ${dayWords(last.day)}: ${last.value === undefined ? 'unknown' : readable(last.value)}.`,
    ...(monthForecast === undefined ? [] : [`Forecast of the month: ${readable(monthForecast)}.`]),
    ...(monthBudget === undefined ? [] : [`Budget: ${readable(monthBudget)}.`]),
  ].join(' ');
  return html`${chart(id, title, described, WIDTH, [path('bars', bars), path('ahead', ahead), path('budget', limit)])}
<p class="ends">${dayTime(first.day)} ${dayTime(lastOfMonth(last.day, monthStarts))}</p>`;
}
