import { type Day, parseDay } from '../catalog/day.ts';
import type { Contract, CreditPrice } from '../catalog/settings.ts';
import { budgetKeys, priceKeys } from './file-keys.ts';
import { quoted } from './parsed.ts';
import { entriesOf, itemsOf, mistake, type Place, positiveNumberOf, textOf, wholeNumberOf } from './tree.ts';

/** The keys of an organization that tell of its contract, where they stand. */
export interface ContractPlaces {
  readonly seats: Place | undefined;
  readonly budget: Place | undefined;
  readonly prices: Place | undefined;
}

const mostSeats = 10_000_000;
/** Above this, a number of credits is no longer exact. */
const mostCredits = Number.MAX_SAFE_INTEGER;
const highestPrice = 1_000_000_000;

/** Reads `seats`, `budget` and `prices` of an organization; undefined where none of them stands there. */
export function readContract({ seats, budget, prices }: ContractPlaces): Contract | undefined {
  if (seats === undefined && budget === undefined && prices === undefined) return undefined;
  return {
    seats: seats && wholeNumberOf(seats, 1, mostSeats),
    creditsPerMonth: budget && readBudget(budget),
    prices: prices === undefined ? [] : readPrices(prices),
  };
}

function readBudget(place: Place): number {
  const credits = entriesOf(place, budgetKeys).get('credits_per_month');
  if (credits === undefined) throw mistake(place, 'has no credits_per_month');
  return positiveNumberOf(credits, mostCredits);
}

/** The prices, oldest first, in whatever order they stand. */
function readPrices(place: Place): readonly CreditPrice[] {
  const byDay = new Map<Day, CreditPrice>();
  for (const item of itemsOf(place)) {
    const price = readPrice(item);
    if (byDay.has(price.from)) throw mistake(item, `a price from ${price.from} on stands twice`);
    byDay.set(price.from, price);
  }
  return [...byDay.values()].sort((one, other) => (one.from < other.from ? -1 : 1));
}

function readPrice(place: Place): CreditPrice {
  const entries = entriesOf(place, priceKeys);
  const [from, currency, amount] = priceKeys.map((key) => entries.get(key));
  if (from === undefined) throw mistake(place, 'has no from');
  if (currency === undefined) throw mistake(place, 'has no currency');
  if (amount === undefined) throw mistake(place, 'has no per_million_credits');
  const day = parseDay(textOf(from));
  if (day === undefined) throw mistake(from, `${quoted(textOf(from))} is not a day in the form YYYY-MM-DD`);
  if (!/^[A-Z]{3}$/.test(textOf(currency))) {
    throw mistake(
      currency,
      `${quoted(textOf(currency))} is not a currency of three capital letters, such as USD`,
    );
  }
  return {
    from: day,
    currency: textOf(currency),
    perMillionCredits: positiveNumberOf(amount, highestPrice),
  };
}
