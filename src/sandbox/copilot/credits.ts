import { type Day, dayMs, daysFrom, formatDay, parseDay } from '../calendar.ts';
import { refuse } from '../http/refuse.ts';
import type { Row } from '../types.ts';
import { creditsOf } from '../world/credits.ts';
import type { Org } from '../world/org.ts';
import { personDay } from '../world/person-day.ts';
import type { Call } from './call.ts';
import { displayName, merged, PER_AI_CREDIT } from './person.ts';

const PER_USD = 100 * PER_AI_CREDIT;

/** The pool that comes with the seats is empty in the middle of this day of each month. */
const DRY_ON = 20;

/** What can be asked of the bill; names are found in any case. */
type Query = Partial<Record<'year' | 'month' | 'day' | 'user' | 'model' | 'product', string | undefined>>;

/** Answers the bill. A year alone is a whole one; otherwise what is left out is that of today, but for the day. */
export function answerBill({ account, isEnterprise, url, today, oldest, late }: Call) {
  const { user, model, product, ...date }: Query = Object.fromEntries(url.searchParams);
  const [thisYear, thisMonth] = formatDay(today).split('-');
  const isWholeYear = date.year !== undefined && date.month === undefined && date.day === undefined;
  const parts = [date.year ?? thisYear, isWholeYear ? undefined : (date.month ?? thisMonth), date.day]
    .filter((part) => part !== undefined)
    .map((part) => part.padStart(2, '0'));
  const period = parts.join('-');
  if (typeof parseDay(`${period}${'-01-01'.slice(period.length - 4)}`) !== 'number')
    refuse(400, 'Invalid year, month or day.');
  const days = daysFrom(oldest, today - 1 - late).filter((day) => formatDay(day).startsWith(period));
  const usageItems = itemsOf(account.org, days, { user, model, product });
  const [year, month, day] = parts.map(Number);
  const name = isEnterprise ? { enterprise: account.enterprise } : { organization: account.account };
  return { body: { timePeriod: { year, month, day }, ...name, user, model, product, usageItems } };
}

/** The bill's items of some days, per SKU and model: gross = discount + net. */
function itemsOf(org: Org, days: readonly Day[], { user, model, product }: Query): Row[] {
  const isAsked = (name: string, asked = name) => name.toLowerCase() === asked.toLowerCase();
  const used = days.flatMap((day) =>
    (user === undefined ? usedOn(org, day) : usedBy(org, day, user.toLowerCase()))
      .filter((item) => item.gross !== 0 && isAsked(item.model, model) && isAsked('Copilot', product))
      .map((item) => ({ ...item, discount: Math.round(item.gross * coveredOn(day)) })),
  );
  const { items = [] } = merged([{ items: used }]) as { readonly items?: typeof used };
  return items.map(({ sku, model: name, gross, discount }) => ({
    product: 'Copilot',
    sku,
    model: name,
    unitType: 'credits',
    pricePerUnit: 0.01,
    ...priced('gross', gross),
    ...priced('discount', discount),
    ...priced('net', gross - discount),
  }));
}

/** A part of each model's credits is that of the cloud agent; what has no model is code review. */
function usedOn(org: Org, day: Day) {
  const { credits, byModel } = creditsOf(org.totals(day), org.seed, day);
  const known = byModel.reduce((sum, one) => sum + one.billable_tokens, 0);
  return byModel
    .flatMap(({ model_id: id, model_tier: tier, billable_tokens: gross }) => {
      const [model, inCloud] = [displayName({ id, tier }), Math.floor(gross * 0.2)];
      return [
        { sku: 'Copilot AI Credits', model, gross: gross - inCloud },
        { sku: 'Copilot Cloud Agent', model, gross: inCloud },
      ];
    })
    .concat({ sku: 'Copilot AI Credits', model: 'Code Review model', gross: credits - known });
}

function usedBy(org: Org, day: Day, login: string) {
  const person = org.people.find((one) => one.login === login);
  const done = person === undefined ? undefined : personDay(person, org.conditions(day));
  return (done?.models ?? []).map(({ model, credits }) => ({
    sku: 'Copilot AI Credits',
    model: displayName(model),
    gross: credits,
  }));
}

function coveredOn(day: Day): number {
  const date = new Date(day * dayMs).getUTCDate();
  return date === DRY_ON ? 0.5 : Number(date < DRY_ON);
}

function priced(name: string, credits: number): Row {
  return { [`${name}Quantity`]: credits / PER_AI_CREDIT, [`${name}Amount`]: credits / PER_USD };
}
