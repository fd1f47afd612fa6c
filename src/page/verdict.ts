import { budgetSharesOf, isMultiple, money, overBudget, usualWords } from './figures.ts';
import { count, groupDigits, percent, readable } from './format.ts';
import { dayTime, type Html, html } from './html.ts';
import { figureOf, monthOf } from './month.ts';
import type { OrgFigures, Reason } from './org-figures.ts';

/** The state of an organization's spend in one sentence; undefined while nothing is known. */
export function verdict(all: OrgFigures): Html | undefined {
  const spend = spendWords(all);
  const parts = [spend, monthWords(all), teamWords(all)].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  return html`<p class="verdict">${parts.map((part, index) => html`${index > 0 ? '; ' : undefined}${part}`)}.</p>`;
}

function spendWords(all: OrgFigures): Html | undefined {
  const { reason } = all;
  const credits = figureOf(all, 'credits');
  if (credits?.value === undefined || credits.day === undefined) return undefined;
  const { day, value, currency } = credits;
  if (reason === undefined) {
    return html`Spend on ${dayTime(day)} was ${amountWords(value, currency)}`;
  }
  const usual = usualWords(reason, day);
  const change = round(Math.abs(value / reason.usual - 1));
  if (change === 0) return html`Spend on ${dayTime(day)} was the same as ${usual}`;
  const direction = value > reason.usual ? 'above' : 'below';
  const why = causeWords(reason, direction === 'above' ? 'rise' : 'fall');
  const much = isMultiple(value, reason.usual)
    ? html`<strong>${groupDigits(Math.round(value / reason.usual))} times</strong>`
    : html`<strong>${percent(change)} ${direction}</strong>`;
  return html`Spend on ${dayTime(day)} was ${much} ${usual}${why}`;
}

function causeWords({ cause, model, largest, team }: Reason, noun: string): Html {
  // More than the whole: others went the other way.
  const shareWords = (share: number) => `${share > 1 ? 'all' : percent(round(share))} of the ${noun}`;
  const where = team && html`, mostly in team ${team.name} (${shareWords(team.share)})`;
  const most = largest && html`<code>${largest.name}</code> has ${shareWords(largest.share)}`;
  if (cause === undefined)
    return html`${where}; ${most ? html`${most}, by several causes` : 'no single cause stands out'}`;
  const which = model === undefined ? most && html`; ${most}` : html`, first of all <code>${model}</code>`;
  return html`${where}${where ? ' and by' : ', mostly by'} ${cause}${which}`;
}

function monthWords(all: OrgFigures): Html | undefined {
  const { used, forecast, budget } = monthOf(all);
  const reached = forecast ?? used;
  if (reached !== undefined && budget !== undefined && budget > 0) {
    const share = percent(round(reached / budget));
    return html`the month ${verbOf(forecast)} <strong>${share}</strong> of the budget${overBudget(reached > budget)}`;
  }
  const month = figureOf(all, 'month');
  const amount = all.monthForecast ?? month?.value;
  return amount === undefined
    ? undefined
    : html`the month ${verbOf(all.monthForecast)} ${amountWords(amount, month?.currency)}`;
}

function amountWords(amount: number, currency: string | undefined): Html {
  return currency === undefined
    ? html`<strong>${readable(amount)}</strong> credits`
    : html`<strong>${money({ currency, amount })}</strong>`;
}

function verbOf(forecast: number | undefined): string {
  return forecast === undefined ? 'has reached' : 'will reach';
}

/** The team that exceeds its budget by most, or will, and how many others do. */
function teamWords({ teamMonths }: OrgFigures): Html | undefined {
  const over = (teamMonths?.teams ?? []).flatMap((month) => {
    const { used, expected } = budgetSharesOf(month);
    const share = expected ?? used ?? 0;
    return share > 1 ? { team: month.team, share, verb: verbOf(expected) } : [];
  });
  const [first, ...others] = over.sort((one, other) => other.share - one.share);
  if (first === undefined) return undefined;
  const more =
    others.length === 0 ? undefined : html`, ${count(others.length, 'other team')} more than theirs`;
  return html`team ${first.team} ${first.verb} <strong>${percent(round(first.share))}</strong> of its budget${overBudget(true)}${more}`;
}

/** To whole percents. */
function round(ratio: number): number {
  return Math.round(ratio * 100) / 100;
}
