import { roundTo } from '../collectors/explain/decompose.ts';
import type { Spend } from '../collectors/spend/costs.ts';
import { sumOfEach } from '../collectors/statistics.ts';
import { amountText, dayWords, groupDigits } from './format.ts';

/** What an organization used, and the title of its platform; nothing if that is unknown. */
interface OrgSpend {
  readonly org: string;
  readonly platform?: string | undefined;
  /** Each of a period in words, else of the billing month so far; `before` is the cost of the same days of the month before. */
  readonly spends: readonly (Spend & { readonly period?: string; readonly before?: number | undefined })[];
}

/** The wording of a page or report. */
interface Style {
  /** The name of the forecast. */
  readonly forecast: string;
  /** The sign of a percentage, with a space before it where one belongs. */
  readonly percentSign: '%' | ' %';
}

type Known = OrgSpend['spends'][number] & Pick<OrgSpend, 'platform'>;

/**
 * What organizations on several platforms used together: a sentence for each currency and period, and one that names those whose cost is
 * unknown; none if no cost is known.
 */
export function spendSentences(orgs: readonly OrgSpend[], style: Style): readonly string[] {
  const known = orgs.flatMap(({ platform, spends }) => spends.map((spend) => ({ ...spend, platform })));
  const sums = Map.groupBy(known, ({ currency, period, month }) => `${currency} ${period ?? month}`);
  const sentences = [...sums.values()].flatMap((some) =>
    some.slice(0, 1).map((first) => sentenceOf(first, some, style)),
  );
  const lacking = orgs.filter(({ spends }) => spends.length === 0).map(({ org }) => org);
  if (known.length === 0 || lacking.length === 0) return sentences;
  return [...sentences, `Not included, as their cost is unknown: ${lacking.join(', ')}.`];
}

function sentenceOf({ currency, month, isPresent, period }: Known, some: readonly Known[], style: Style) {
  const so = isPresent ? 'this month so far' : `in the month from ${dayWords(month)} so far`;
  const text = (amount = Number.NaN) => {
    if (amount >= 100) return groupDigits(Math.round(amount));
    return amount < 100 ? amountText({ currency, amount }) : 'unknown';
  };
  const [used, forecast] = [sumOfEach(some, (one) => one.used), sumOfEach(some, (one) => one.forecast)];
  const lower = sumOfEach(some, ({ range }) => range?.lower);
  const upper = sumOfEach(some, ({ range }) => range?.upper);
  const range = lower === undefined || upper === undefined ? '' : ` (${text(lower)} to ${text(upper)})`;
  const [earliest, ...later] = [...new Set(some.map(({ day }) => day))].sort();
  const until = earliest && later.length > 0 ? ` (to ${dayWords(earliest)} at least)` : '';
  const saying = some.filter(({ billed }) => billed !== undefined);
  const billed = text(sumOfEach(saying, (one) => one.billed?.amount));
  const where = [...new Set(saying.map(({ platform }) => platform))].join(', ');
  // No forecast for several months, nor at the end of a month, when nothing is ahead.
  const isAhead = some.every((one) => one.month === month) && text(forecast) !== text(used);
  const words = [
    `Agents used ${text(used)} ${currency} ${period ?? so}${until}${platformWords(some, style, used)}`,
    saying.length > 0 && `billed beyond seats ${billed} where platforms say it (${where})`,
    'seat fees are not included',
    growthWords(some, style),
    isAhead &&
      some.some((one) => one.forecast !== undefined) &&
      `${style.forecast} ${text(forecast)}${range}`,
  ];
  return `${words.filter(Boolean).join('; ')}.`;
}

/** At which prices, and the largest platform; where the kinds of their cost differ, each platform with its own. */
function platformWords(some: readonly Known[], { percentSign }: Style, used = 0): string {
  const isMixed = some.some(({ costIs }) => costIs !== some[0]?.costIs);
  const reported = some.some(({ costIs }) => costIs === 'estimate') ? '' : " at the platforms' own prices";
  const prices = reported === '' && !isMixed ? ' at configured prices' : reported;
  if (used === 0) return prices;
  const parts = [...Map.groupBy(some, ({ platform }) => platform)]
    .map(([title, own]) => [title, own[0]?.costIs, sumOfEach(own, (one) => one.used) ?? 0] as const)
    .sort(([, , one], [, , other]) => other - one);
  const percents = roundTo(
    100,
    parts.map(([, , amount]) => (amount / used) * 100),
  );
  const shares = parts.map(([title, costIs, amount], index) => {
    const kind = costIs === 'estimate' ? 'estimate by configured prices' : costIs;
    const share = percents[index] || (amount > 0 ? 'under 1' : '0');
    return `${share}${percentSign} ${title}${isMixed ? ` (${kind})` : ''}`;
  });
  return isMixed ? `${prices}: ${shares.join(', ')}` : `${prices}, ${shares[0]}`;
}

/** How much more or less each platform used than on the same days of the month before, where that is known, the largest rise first. */
function growthWords(some: readonly Known[], { percentSign }: Style): string | undefined {
  const changes = [...Map.groupBy(some, ({ platform }) => platform)]
    .map(([title, own]) => {
      const [used = 0, before = 0] = [sumOfEach(own, (one) => one.used), sumOfEach(own, (one) => one.before)];
      return { title, percent: Math.round((used / before - 1) * 100) };
    })
    .filter(({ percent }) => Number.isFinite(percent))
    .sort((one, other) => other.percent - one.percent)
    .map(
      ({ title, percent }) =>
        `${title} ${percent < 0 ? '−' : '+'}${groupDigits(Math.abs(percent))}${percentSign}`,
    );
  return changes.length === 0
    ? undefined
    : `against the same days of the month before: ${changes.join(', ')}`;
}
