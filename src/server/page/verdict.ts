import { addDays } from '../../catalog/day.ts';
import type { OrgFigures } from '../figures.ts';
import { percent, readable } from './format.ts';
import { dayTime, type Html, html } from './html.ts';

/** The state of an organization's spend in one sentence; undefined while nothing is known. */
export function verdict(all: OrgFigures): Html | undefined {
  const spend = spendWords(all);
  const month = monthWords(all);
  if (spend === undefined && month === undefined) return undefined;
  return html`<p class="verdict">${spend}${spend && month && '; '}${month}.</p>`;
}

function spendWords({ figures, dominant }: OrgFigures): Html | undefined {
  const credits = figures.find(({ name }) => name === 'credits');
  if (credits?.value === undefined || credits.day === undefined) return undefined;
  const { day, value, weekBefore } = credits;
  if (weekBefore === undefined || weekBefore === 0) {
    return html`Spend on ${dayTime(day)} was <strong>${readable(value)}</strong> credits`;
  }
  const change = Math.round(Math.abs(value / weekBefore - 1) * 100) / 100;
  const before = dayTime(addDays(day, -7));
  if (change === 0) return html`Spend on ${dayTime(day)} was the same as on ${before}`;
  const [direction, noun] = value > weekBefore ? ['above', 'rise'] : ['below', 'fall'];
  const share = dominant && dominant.share <= 1 ? ` (${percent(round(dominant.share))} of the ${noun})` : '';
  const model = dominant && html`, mostly <code>${dominant.model}</code>${share}`;
  return html`Spend on ${dayTime(day)} was <strong>${percent(change)} ${direction}</strong> ${before}${model}`;
}

function monthWords({ figures, monthForecast, monthBudget }: OrgFigures): Html | undefined {
  const spent = figures.find(({ name }) => name === 'month')?.value;
  const reached = monthForecast ?? spent;
  if (reached === undefined) return undefined;
  const verb = monthForecast === undefined ? 'has reached' : 'will reach';
  if (monthBudget === undefined || monthBudget === 0) {
    return html`the month ${verb} <strong>${readable(reached)}</strong> credits`;
  }
  const share = html`the month ${verb} <strong>${percent(round(reached / monthBudget))}</strong> of the budget`;
  return reached > monthBudget ? html`${share} <span class="spike">▲ over budget</span>` : share;
}

/** To whole percents. */
function round(ratio: number): number {
  return Math.round(ratio * 100) / 100;
}
