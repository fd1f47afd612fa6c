import { addDays, type Day, firstOfMonth, lastOfMonth } from '../catalog/day.ts';
import type { Sample } from '../catalog/family.ts';
import { CREDITS, type FocusNames, type Measure, type OtherCost } from '../catalog/money.ts';
import { UNASSIGNED } from '../catalog/settings.ts';
import type { PageFamily } from '../pipeline/past-days.ts';
import { csvLine, decimalText } from './csv.ts';
import { type ExportedFigures, type ExportFormat, provisionalCell } from './format.ts';
import { exact } from './month.ts';

/** What the credits and the cost of a day are split by; the API has no credits of a model and a team. */
type FocusSplit = 'model' | 'team';

/** The metrics that a row is made of; parts are models or teams. */
type FocusFamilies = Readonly<
  Record<'cost' | 'credits' | 'price' | 'costOfParts' | 'creditsOfParts' | OtherCost, Named> &
    // No platform has them of teams.
    Record<'listCostOfParts' | 'billedCostOfParts', Named | undefined>
>;

interface Named {
  readonly name: string;
}

const OTHER_COSTS: readonly OtherCost[] = ['listCost', 'billedCost'];

const MILLION = 1_000_000;
/** A smaller remainder is a rounding error. */
const RESIDUE = 1e-9;
/** Significant digits of a total that its remainder has: a double has two more, in which the subtraction of parts errs. */
const DIGITS = 14;

/** What is left of the total of a day. */
function restBy(by: FocusSplit, measure: Measure): ChargedPart {
  const [sku, team] = by === 'model' ? ['unattributed', null] : [measure, UNASSIGNED];
  return { sku, model: null, tier: null, team };
}

/** The model or the team of a charge. */
interface ChargedPart {
  readonly sku: string;
  readonly model: string | null;
  readonly tier: string | null;
  readonly team: string | null;
}

interface Charge extends ChargedPart {
  /** None of a platform that counts none. */
  readonly credits: number | null;
  readonly cost: number;
  /** Divided by the cost of the charges of the day where they are not known of each. */
  readonly listCost?: number | undefined;
  readonly billedCost?: number | undefined;
}

/** The values that all charges of a day share. */
interface Frame extends Pick<ExportedFigures, 'org' | 'orgId' | 'day' | 'monthStarts' | 'revisedUntil'> {
  readonly currency: string;
  /** Price of one million credits; none of a platform that reports its cost. */
  readonly price: number | null;
  readonly names: FocusNames;
}

type Cell = string | number | null;
type Columns = Readonly<Record<string, (charge: Charge, frame: Frame) => Cell>>;

/**
 * The columns in the order of the file. A cost at the configured price is an estimate, and the exporter invoices nothing: its
 * `BilledCost` is 0, as the specification requires of files that do not come from the biller.
 */
const COLUMNS: Columns = {
  BilledCost: ({ billedCost = 0 }) => billedCost,
  BillingAccountId: (_, { orgId, org }) => orgId ?? org,
  BillingAccountName: (_, { org }) => org,
  BillingCurrency: (_, { currency }) => currency,
  BillingPeriodEnd: (_, { day, monthStarts }) => startText(addDays(lastOfMonth(day, monthStarts), 1)),
  BillingPeriodStart: (_, { day, monthStarts }) => startText(firstOfMonth(day, monthStarts)),
  ChargeCategory: () => 'Usage',
  ChargeClass: () => null,
  ChargeDescription: descriptionOf,
  ChargeFrequency: () => 'Usage-Based',
  ChargePeriodEnd: (_, { day }) => startText(addDays(day, 1)),
  ChargePeriodStart: (_, { day }) => startText(day),
  ConsumedQuantity: ({ credits }) => (credits === null ? null : exact(credits)),
  ConsumedUnit: ({ credits }) => (credits === null ? null : 'Credits'),
  ContractedCost: ({ cost }) => cost,
  ContractedUnitPrice: ({ cost, credits }, { price }) => price ?? unitPriceOf(cost, credits),
  EffectiveCost: ({ cost }) => cost,
  HostProviderName: (_, { names }) => names.hostProvider,
  InvoiceDetailId: () => null,
  InvoiceId: () => null,
  InvoiceIssuerName: (_, { names }) => names.invoiceIssuer,
  ListCost: ({ cost, listCost = cost }) => listCost,
  ListUnitPrice: ({ cost, listCost = cost, credits }, { price }) => price ?? unitPriceOf(listCost, credits),
  PricingQuantity: ({ credits }) => (credits === null ? null : exact(credits / MILLION)),
  PricingUnit: ({ credits }) => (credits === null ? null : `${MILLION} Credits`),
  ServiceCategory: () => 'AI and Machine Learning',
  ServiceName: (_, { names }) => names.service,
  ServiceProviderName: (_, { names }) => names.serviceProvider,
  ServiceSubcategory: () => 'Generative AI',
  SkuId: ({ sku }) => sku,
  SkuMeter: ({ credits }) => (credits === null ? null : 'Credits'),
  SkuPriceDetails: ({ tier }) => (tier === null ? null : JSON.stringify({ x_Tier: tier })),
  SkuPriceId: ({ sku, tier }) => (tier === null ? sku : `${sku}/${tier}`),
  Tags: ({ team }) => (team === null ? null : JSON.stringify({ team })),
  x_CostBasis: (_, { price }) =>
    price === null
      ? 'reported by the platform; seat fees not included'
      : 'estimate at the list price; not invoiced',
  x_Model: ({ model }) => model,
  x_Tier: ({ tier }) => tier,
};

/** The last column of a file with an organization whose platform revises its money. */
const REVISED: Columns = { x_Provisional: (_, frame) => provisionalCell(frame) };

/**
 * Rows of the Cost and Usage dataset as CSV: one per organization, day and model, or team, with credits, and one for the rest,
 * so that the rows of a day add up to its cost. A day whose price, cost, credits or teams are unknown has no rows. `namesOf` has the names
 * for each organization, and `isRevised` says whether any of their platforms revises its money.
 */
export function createFocusFormat(
  by: FocusSplit,
  families: FocusFamilies,
  namesOf: (org: string) => FocusNames,
  isRevised = false,
): ExportFormat {
  const columns = isRevised ? { ...COLUMNS, ...REVISED } : COLUMNS;
  return {
    needsAll: true,
    compared: {
      keys: ['BillingAccountName', 'ChargePeriodStart', 'BillingCurrency', 'SkuPriceId', 'Tags'],
      ...{ period: 'ChargePeriodStart', organization: 'BillingAccountName' },
      figures: ['ConsumedQuantity', 'EffectiveCost', ...(isRevised ? ['ListCost', 'BilledCost'] : [])],
    },
    header: csvLine(Object.keys(columns)),
    rowsOf(day) {
      const byName = new Map<string, PageFamily>(day.families.map((page) => [page.family.name, page]));
      const samplesOf = (family?: Named) => [...(byName.get(family?.name ?? '')?.samples() ?? [])];
      const [total] = samplesOf(families.cost);
      const [credits] = samplesOf(families.credits);
      const [price] = samplesOf(families.price);
      const { measure, currency: reportedIn } = day.money ?? CREDITS;
      if (price === undefined && reportedIn === undefined) return { lacks: 'price' };
      if (total === undefined || (credits === undefined && measure === 'credits')) return { lacks: 'tokens' };
      const currency = total.labels['currency'] ?? '';
      const others = {
        listCost: samplesOf(families.listCost)[0]?.value,
        billedCost: samplesOf(families.billedCost)[0]?.value,
      };
      const known = { credits: credits?.value ?? null, cost: total.value };
      // Of teams, they are not known.
      const whole = { ...restBy(by, measure), ...known, ...(by === 'model' && others) };
      // For a month after a change of currency there are zeros in the former one.
      const inCurrency = (family?: Named) =>
        samplesOf(family).filter(({ labels }) => labels['currency'] === currency);
      const parts = partsOf(whole, inCurrency(families.costOfParts), {
        credits: byPart(samplesOf(families.creditsOfParts)),
        listCost: byPart(inCurrency(families.listCostOfParts)),
        billedCost: byPart(inCurrency(families.billedCostOfParts)),
      });
      const rest = restOf(whole, parts, price === undefined);
      // What no team has is unassigned, so that only unknown teams leave something.
      if (rest !== undefined && by === 'team') return { lacks: 'users' };
      const charges = OTHER_COSTS.reduce(
        (costed, of) => withOtherCost(of, others[of], costed),
        rest === undefined ? parts : [...parts, rest],
      );
      const perMillion = price === undefined ? null : exact(price.value * MILLION);
      return linesOf(columns, charges, { ...day, currency, price: perMillion, names: namesOf(day.org) });
    },
  };
}

function* linesOf(columns: Columns, charges: readonly Charge[], frame: Frame): Generator<string> {
  for (const charge of charges) {
    yield csvLine(
      Object.values(columns).map((cellOf) => cellOf(charge, frame)),
      // Programs read the file and compare identifiers, such as the model @cf/…, so texts keep their spelling.
      { number: pointedText, text: String },
    );
  }
}

/** With a decimal point: readers that infer types would take a column of whole numbers for integers. */
function pointedText(value: number): string {
  const text = decimalText(value);
  return text.includes('.') ? text : `${text}.0`;
}

/** The models or teams that were used. */
function partsOf(
  whole: Charge,
  costs: readonly Sample[],
  { credits, listCost: listCosts, billedCost: billedCosts }: Readonly<Record<OtherCost | 'credits', Amounts>>,
): readonly Charge[] {
  return costs.flatMap(({ labels, value }): readonly Charge[] => {
    const key = keyOf(labels);
    const used = whole.credits === null ? null : (credits.get(key) ?? 0);
    const { model = null, tier = null, team = null } = labels;
    const [listCost, billedCost] = [listCosts.get(key), billedCosts.get(key)];
    if (!used && !value && !listCost && !billedCost) return [];
    const sku = model ?? whole.sku;
    return [{ sku, model, tier, team, credits: used, cost: exact(value), listCost, billedCost }];
  });
}

/** The amounts of models or teams. */
type Amounts = ReadonlyMap<string, number>;

function byPart(samples: readonly Sample[]): Amounts {
  return new Map(samples.map(({ labels, value }) => [keyOf(labels), exact(value)]));
}

/** What the parts leave of the whole; undefined if nothing: of the credits, and of costs that are not theirs at a price. */
function restOf(whole: Charge, parts: readonly Charge[], isCostApart: boolean): Charge | undefined {
  const leftOf = (amount: (charge: Charge) => number) => remainder(amount(whole), parts.map(amount));
  const credits = leftOf((charge) => charge.credits ?? 0);
  const cost = leftOf((charge) => charge.cost);
  const isLeft = (left: number, of: number) => Math.abs(left) > RESIDUE * Math.abs(of);
  const otherOf = (of: OtherCost) =>
    whole[of] !== undefined && isKnownOfAll(of, parts) ? leftOf((charge) => charge[of] ?? 0) : undefined;
  const [listCost, billedCost] = [otherOf('listCost'), otherOf('billedCost')];
  const areLeft =
    isLeft(cost, whole.cost) ||
    isLeft(listCost ?? 0, whole.listCost ?? 0) ||
    isLeft(billedCost ?? 0, whole.billedCost ?? 0);
  if (!isLeft(credits, whole.credits ?? 0) && !(isCostApart && areLeft)) return undefined;
  return { ...whole, credits: whole.credits === null ? null : credits, cost, listCost, billedCost };
}

/** Charges with a cost of a whole day: each its own, and else divided by their cost, where the last one has what rounding leaves. */
function withOtherCost(of: OtherCost, amount: number | undefined, charges: readonly Charge[]) {
  if (amount === undefined || isKnownOfAll(of, charges)) return charges;
  const cost = charges.reduce((sum, charge) => sum + charge.cost, 0);
  const first = charges.slice(0, -1).map((charge) => (cost === 0 ? 0 : exact((amount * charge.cost) / cost)));
  return charges.map((charge, index) => ({ ...charge, [of]: first[index] ?? remainder(amount, first) }));
}

function isKnownOfAll(of: OtherCost, charges: readonly Charge[]): boolean {
  return charges.every(({ [of]: amount }) => amount !== undefined);
}

/** What parts leave of a total, rounded where the total's digits end. */
function remainder(total: number, parts: readonly number[]): number {
  const rest = parts.reduce((left, part) => left - part, total);
  const wholeDigits = Math.ceil(Math.log10(Math.max(1, Math.abs(total))));
  return Number(rest.toFixed(Math.max(0, DIGITS - wholeDigits)));
}

function keyOf(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify([labels['model'], labels['tier'], labels['team']]);
}

/** What a million credits cost, where the platform reports both. */
function unitPriceOf(cost: number, credits: number | null): number | null {
  return credits ? exact((cost * MILLION) / credits) : null;
}

function descriptionOf({ model, team, credits }: Charge): string {
  const [what, used] = credits === null ? ['Use', 'Use'] : ['Credits', 'Credits used'];
  if (team === UNASSIGNED) return `${what} of no shown team`;
  if (team !== null) return `${used} by the team ${team}`;
  if (model !== null) return `${used} with ${model}`;
  return credits === null ? 'Use of no model' : 'Credits that belong to no model';
}

/** The first instant of a day. */
function startText(day: Day): string {
  return `${day}T00:00:00Z`;
}
