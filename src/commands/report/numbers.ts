import { isMultiple } from '../../page/figures.ts';
import { amountText } from '../../page/format.ts';
import type { Figure } from './report.ts';

/** The title of a figure, with its currency. */
export function nameOf({ title, currency }: Pick<Figure, 'title' | 'currency'>): string {
  return currency === undefined ? title : `${title} (${currency})`;
}

/** A number of anything, or an amount of money in its currency. */
export function amount(value: number | undefined, { currency }: Pick<Figure, 'currency'>): string {
  if (value === undefined) return 'unknown';
  return currency === undefined ? digits(value) : amountText({ currency, amount: value });
}

/** The relative change, such as `+12 %`, or `× 38` far above; blank if one of both is unknown, or the first is not above 0. */
export function change({ value, before }: Pick<Figure, 'value' | 'before'>): string {
  if (value === undefined || before === undefined || before <= 0) return '';
  if (isMultiple(value, before)) return `× ${digits(Math.round(value / before))}`;
  const share = Math.round((value / before - 1) * 100);
  const sign = share === 0 ? '' : share > 0 ? '+' : '−';
  return `${sign}${Math.abs(share)} %`;
}

/** A ratio as a percentage with one decimal. */
export function percent(ratio: number): string {
  return `${(ratio * 100).toFixed(1)} %`;
}

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const small = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 });
const tenths = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** A number with commas between thousands; below one thousand with a decimal, below one with two significant digits. */
function digits(value: number): string {
  const size = Math.abs(value);
  if (size > 0 && size < 1) return small.format(value);
  return (size < 1_000 ? tenths : whole).format(value);
}
