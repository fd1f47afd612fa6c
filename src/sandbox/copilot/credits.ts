import { type Day, dayMs } from '../calendar.ts';
import type { Row } from '../types.ts';
import { creditsOf } from '../world/credits.ts';
import type { Org } from '../world/org.ts';
import { personDay } from '../world/person-day.ts';
import { merged } from './merged.ts';

/** Credits of the simulated world in one AI credit, of which 100 cost 1 USD. */
export const PER_AI_CREDIT = 4000;
const PER_USD = 100 * PER_AI_CREDIT;

/** The pool that comes with the seats is empty in the middle of this day of each month. */
const DRY_ON = 20;

/** Names by which the bill can be filtered, in any case. */
type Filter = Readonly<Record<'user' | 'model' | 'product', string | undefined>>;

/** The name of a model on the bill and in reports; a model of the customer's own is in no list of prices. */
export function displayName({ id, tier }: { readonly id: string; readonly tier: string }): string {
  const name = id
    .replace(/^custom:|-0$|-\d{8}$/g, '')
    .replace(/(\d)-(\d)/, '$1.$2')
    .replaceAll('-', ' ')
    .replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
  return tier === 'thinking' && id.includes('sonnet') ? `Auto: ${name}` : name;
}

/** The bill's items of some days, per SKU and model: gross = discount + net. */
export function usageItems(org: Org, days: readonly Day[], { user, model, product }: Filter): Row[] {
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
