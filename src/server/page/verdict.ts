import type { OrgFigures, Reason } from '../figures.ts';
import { overBudget } from './figures.ts';
import { percent, readable, weekdayWord } from './format.ts';
import { dayTime, type Html, html } from './html.ts';
import { figureOf, figureValue } from './totals.ts';

/** The state of an organization's spend in one sentence; undefined while nothing is known. */
export function verdict(all: OrgFigures): Html | undefined {
  const spend = spendWords(all);
  const month = monthWords(all);
  if (spend === undefined && month === undefined) return undefined;
  return html`<p class="verdict">${spend}${spend && month && '; '}${month}.</p>`;
}

function spendWords(all: OrgFigures): Html | undefined {
  const { reason } = all;
  const credits = figureOf(all, 'credits');
  if (credits?.value === undefined || credits.day === undefined) return undefined;
  const { day, value } = credits;
  if (reason === undefined) {
    return html`Spend on ${dayTime(day)} was <strong>${readable(value)}</strong> credits`;
  }
  const weekday = weekdayWord(day);
  const usual = reason.weeks === 1 ? `the last ${weekday}` : `the mean of ${reason.weeks} ${weekday}s before`;
  const change = round(Math.abs(value / reason.usual - 1));
  if (change === 0) return html`Spend on ${dayTime(day)} was the same as ${usual}`;
  const direction = value > reason.usual ? 'above' : 'below';
  const why = causeWords(reason, direction === 'above' ? 'rise' : 'fall');
  return html`Spend on ${dayTime(day)} was <strong>${percent(change)} ${direction}</strong> ${usual}${why}`;
}

function causeWords({ cause, model, largest, team }: Reason, noun: string): Html {
  // More than the whole: others went the other way.
  const shareWords = (share: number) => `${share > 1 ? 'all' : percent(round(share))} of the ${noun}`;
  const where = team && html`, mostly in team ${team.name} (${shareWords(team.share)})`;
  if (cause !== undefined)
    return html`${where}${where ? ' and by' : ', mostly by'} ${cause}${model && html`, first of all <code>${model}</code>`}`;
  return html`${where}; no single cause stands out${largest && html`, but <code>${largest.name}</code> has ${shareWords(largest.share)}`}`;
}

function monthWords(all: OrgFigures): Html | undefined {
  const { monthForecast, monthBudget } = all;
  const reached = monthForecast ?? figureValue(all, 'month');
  if (reached === undefined) return undefined;
  const verb = monthForecast === undefined ? 'has reached' : 'will reach';
  if (monthBudget === undefined || monthBudget === 0) {
    return html`the month ${verb} <strong>${readable(reached)}</strong> credits`;
  }
  const share = percent(round(reached / monthBudget));
  return html`the month ${verb} <strong>${share}</strong> of the budget${overBudget(reached > monthBudget)}`;
}

/** To whole percents. */
function round(ratio: number): number {
  return Math.round(ratio * 100) / 100;
}
