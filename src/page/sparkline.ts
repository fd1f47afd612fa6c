import { chart, HEIGHT, path, round } from './chart.ts';
import { count, dayWords } from './format.ts';
import { type Html, html } from './html.ts';
import type { TrendDay } from './org-figures.ts';

const STEP = 8;
const BAR = 6;
/** Room above the bars for the marks of unusual days. */
const HEADROOM = 6;
/** A zero is a line, so that it differs from a gap. */
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
  return chart(
    { id, title, described: describe(parts), width: STEP * Math.max(trend.length, 1) },
    html`${path('bars', usual)}${path('unusual', unusual)}${path('unusual', marks)}${path('bound', bounds)}`,
  );
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
