import { sumOfEach } from '../../collectors/statistics.ts';
import { isMultiple } from '../../page/figures.ts';
import { amountText } from '../../page/format.ts';
import { spendSentences } from '../../page/spend.ts';
import type { Figure, Report, UnusualDay } from './report.ts';

const MOST = 3;

/** At most three things to look at, the most urgent first, each with its number. */
export function attentionOf(report: Report): readonly string[] {
  return [
    ...budgetWords(report),
    ...teamWords(report),
    ...report.unusual
      .toSorted((one, other) => other.amount - one.amount)
      .map(unusualWords)
      .slice(0, 1),
    ...modelWords(report),
    ...readinessWords(report),
  ].slice(0, MOST);
}

/** A day that was used unusually much. */
export function unusualWords({ day, amount: used, upper, ...of }: UnusualDay): string {
  const unit = of.currency ?? 'credits';
  return `${day} was unusually high: ${amount(used, of)} ${unit}; up to ${amount(upper, of)} were expected.`;
}

/** The month, where it exceeds its budget or is expected to, in money or in credits. */
function budgetWords({ month }: Report): readonly string[] {
  return ['Cost', 'Credits'].flatMap((unit) => {
    const stateOf = (title: string) => month.find((state) => state.title === `${unit}, ${title}`);
    const budget = stateOf('budget of the month');
    const reached = stateOf('forecast of the month') ?? stateOf('month to date');
    if (budget === undefined || reached === undefined || reached.value <= budget.value) return [];
    const probability = stateOf('probability that the month exceeds its budget');
    const likely = probability === undefined ? '' : ` (probability ${percent(probability.value)})`;
    return `The month is expected to reach ${amount(reached.value, reached)} of a budget of ${amount(budget.value, budget)} ${budget.currency ?? 'credits'}${likely}.`;
  });
}

function teamWords({ teamsOverBudget: [first, ...others] }: Report): readonly string[] {
  if (first === undefined) return [];
  const { team, reached, budget, currency } = first;
  const more = others.length === 0 ? '' : ` ${others.length} more exceed theirs.`;
  const unit = currency ?? 'credits';
  return [
    `Team ${team} is expected to reach ${amount(reached, first)} of a budget of ${amount(budget, first)} ${unit}.${more}`,
  ];
}

/** The model that rose most, if that is more than a tenth of the whole. */
function modelWords({ models, figures, currency }: Report): readonly string[] {
  const whole = currency === undefined ? 'Credits' : 'Cost';
  const total = figures.find(({ title }) => title === whole)?.value ?? Number.POSITIVE_INFINITY;
  const rises = models
    .map(({ name, amount: value, before = value }) => ({ name, value, before, rise: value - before }))
    .filter(({ rise }) => rise > total / 10)
    .sort((one, other) => other.rise - one.rise);
  return rises.slice(0, 1).map((one) => {
    const share = change(one);
    return `${one.name} rose by ${amount(one.rise, { currency })} ${currency ?? 'credits'}${share && ` (${share})`}.`;
  });
}

/** The repository that lost most. */
function readinessWords({ readiness }: Report): readonly string[] {
  const lost = readiness.find(({ before, after }) => before !== undefined && after < before);
  if (lost?.before === undefined) return [];
  return [`The readiness of ${lost.repo} fell from ${percent(lost.before)} to ${percent(lost.after)}.`];
}

/** Credits, and cost in each currency, of several organizations together, on several platforms the cost alone; undefined for one. */
export function allWords(reports: readonly Report[]): string | undefined {
  if (reports.length < 2) return undefined;
  if (reports.some(({ platform }) => platform !== undefined))
    return (
      spendSentences(reports, { forecast: 'forecast of the month', percentSign: ' %' }).join(' ') || undefined
    );
  const periods = [...Map.groupBy(reports, ({ period: { first, last } }) => `${first} to ${last}`)];
  const sentences = periods.flatMap(([period, some]) => {
    const figures = some.flatMap((one) => one.figures);
    const sums = ['Credits', 'Cost'].flatMap((title) => {
      const own = figures.filter((one) => one.title === title);
      const byCurrency = Map.groupBy(own, ({ currency }) => currency);
      return [...byCurrency.values()].flatMap((same) => sumWords(same, some.length));
    });
    const who =
      some.length === reports.length
        ? `All ${reports.length} organizations`
        : `${some.length} of ${reports.length} organizations, ${period}`;
    return sums.length === 0 ? [] : [`${who}: ${sums.join('; ')}.`];
  });
  return sentences.join(' ') || undefined;
}

/** The sum of a figure over the organizations of which it is known, and how many these are if not all. */
function sumWords(figures: readonly Figure[], orgs: number): readonly string[] {
  const known = figures.filter(({ value }) => value !== undefined);
  const [first] = known;
  if (first === undefined) return [];
  const value = sumOfEach(known, (one) => one.value);
  const share = change({ value, before: sumOfEach(known, ({ before }) => before) });
  // Not every organization has a cost in each currency.
  const all = first.currency === undefined ? orgs : figures.length;
  const part = known.length < all ? `, ${known.length} of them known` : '';
  return [`${amount(value, first)} ${first.currency ?? 'credits'}${share && ` (${share})`}${part}`];
}

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
