import { addDays, type Day, firstOfMonth, lastOfMonth } from '../catalog/day.ts';
import type { Sample } from '../catalog/family.ts';
import { UNASSIGNED } from '../catalog/settings.ts';
import type { PageFamily } from '../pipeline/past-days.ts';
import { csvLine, decimalText } from './csv.ts';
import type { ExportedFigures, ExportFormat } from './format.ts';
import { exact } from './month.ts';

/** What the credits and the cost of a day are split by; the API has no credits of a model and a team. */
type FocusSplit = 'model' | 'team';

/** The metrics that a row is made of; parts are models or teams. */
type FocusFamilies = Readonly<
  Record<'cost' | 'credits' | 'price' | 'costOfParts' | 'creditsOfParts', { readonly name: string }>
>;

const PLATFORM = 'AI coding-agent platform';
const MILLION = 1_000_000;
/** A smaller remainder is a rounding error. */
const RESIDUE = 1e-9;
/** Significant digits of a total that its remainder has: a double has two more, in which the subtraction of parts errs. */
const DIGITS = 14;

/** What is left of the total of a day. */
const REST: Readonly<Record<FocusSplit, ChargedPart>> = {
  model: { sku: 'unattributed', model: null, tier: null, team: null },
  team: { sku: 'credits', model: null, tier: null, team: UNASSIGNED },
};

/** The model or the team of a charge. */
interface ChargedPart {
  readonly sku: string;
  readonly model: string | null;
  readonly tier: string | null;
  readonly team: string | null;
}

interface Charge extends ChargedPart {
  readonly credits: number;
  readonly cost: number;
}

/** The values that all charges of a day share. */
interface Frame extends Pick<ExportedFigures, 'org' | 'orgId' | 'day' | 'monthStarts'> {
  readonly currency: string;
  /** Price of one million credits. */
  readonly price: number;
}

type Cell = string | number | null;

/**
 * The columns in the order of the file. The cost is an estimate at the configured price, and the exporter invoices
 * nothing: `BilledCost` is 0, as the specification requires of files that do not come from the biller.
 */
const COLUMNS: Readonly<Record<string, (charge: Charge, frame: Frame) => Cell>> = {
  BilledCost: () => 0,
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
  ConsumedQuantity: ({ credits }) => credits,
  ConsumedUnit: () => 'Credits',
  ContractedCost: ({ cost }) => cost,
  ContractedUnitPrice: (_, { price }) => price,
  EffectiveCost: ({ cost }) => cost,
  HostProviderName: () => PLATFORM,
  InvoiceDetailId: () => null,
  InvoiceId: () => null,
  InvoiceIssuerName: () => PLATFORM,
  ListCost: ({ cost }) => cost,
  ListUnitPrice: (_, { price }) => price,
  PricingQuantity: ({ credits }) => credits / MILLION,
  PricingUnit: () => `${MILLION} Credits`,
  ServiceCategory: () => 'AI and Machine Learning',
  ServiceName: () => PLATFORM,
  ServiceProviderName: () => PLATFORM,
  ServiceSubcategory: () => 'Generative AI',
  SkuId: ({ sku }) => sku,
  SkuMeter: () => 'Credits',
  SkuPriceDetails: ({ tier }) => (tier === null ? null : JSON.stringify({ x_Tier: tier })),
  SkuPriceId: ({ sku, tier }) => (tier === null ? sku : `${sku}/${tier}`),
  Tags: ({ team }) => (team === null ? null : JSON.stringify({ team })),
  x_CostBasis: () => 'estimate at the list price; not invoiced',
  x_Model: ({ model }) => model,
  x_Tier: ({ tier }) => tier,
};

/**
 * Rows of the Cost and Usage dataset as CSV: one per organization, day and model, or team, with credits, and one for the rest,
 * so that the rows of a day add up to its cost. A day whose price, credits or teams are unknown has no rows.
 */
export function createFocusFormat(by: FocusSplit, families: FocusFamilies): ExportFormat {
  return {
    needsAll: true,
    compared: {
      keys: ['BillingAccountName', 'ChargePeriodStart', 'BillingCurrency', 'SkuPriceId', 'Tags'],
      ...{ period: 'ChargePeriodStart', organization: 'BillingAccountName' },
      figures: ['ConsumedQuantity', 'EffectiveCost'],
    },
    header: csvLine(Object.keys(COLUMNS)),
    rowsOf(day) {
      const byName = new Map<string, PageFamily>(day.families.map((page) => [page.family.name, page]));
      const samplesOf = ({ name }: { readonly name: string }) => [...(byName.get(name)?.samples() ?? [])];
      const [total] = samplesOf(families.cost);
      const [credits] = samplesOf(families.credits);
      const [price] = samplesOf(families.price);
      if (price === undefined) return { lacks: 'price' };
      if (total === undefined || credits === undefined) return { lacks: 'tokens' };
      const currency = total.labels['currency'] ?? '';
      const whole = { ...REST[by], credits: credits.value, cost: total.value };
      const parts = partsOf(
        whole.sku,
        // For a month after a change of currency there are zeros in the former one.
        samplesOf(families.costOfParts).filter(({ labels }) => labels['currency'] === currency),
        samplesOf(families.creditsOfParts),
      );
      const rest = restOf(whole, parts);
      // What no team has is unassigned, so that only unknown teams leave something.
      if (rest !== undefined && by === 'team') return { lacks: 'users' };
      return linesOf(rest === undefined ? parts : [...parts, rest], {
        ...day,
        currency,
        price: exact(price.value * MILLION),
      });
    },
  };
}

function* linesOf(charges: readonly Charge[], frame: Frame): Generator<string> {
  const columns = Object.values(COLUMNS);
  for (const charge of charges) {
    yield csvLine(
      columns.map((cellOf) => cellOf(charge, frame)),
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

/** The models or teams with credits; `sku` is that of teams. */
function partsOf(sku: string, costs: readonly Sample[], credits: readonly Sample[]): readonly Charge[] {
  const creditsOf = new Map(credits.map(({ labels, value }) => [keyOf(labels), value]));
  return costs.flatMap(({ labels, value }): readonly Charge[] => {
    const used = creditsOf.get(keyOf(labels)) ?? 0;
    const { model = null, tier = null, team = null } = labels;
    return used === 0 ? [] : [{ sku: model ?? sku, model, tier, team, credits: used, cost: exact(value) }];
  });
}

/** What the parts leave of the whole; undefined if nothing. */
function restOf(whole: Charge, parts: readonly Charge[]): Charge | undefined {
  const leftOf = (amount: (charge: Charge) => number) => remainder(amount(whole), parts.map(amount));
  const left = leftOf(({ credits }) => credits);
  if (Math.abs(left) <= RESIDUE * Math.abs(whole.credits)) return undefined;
  return { ...whole, credits: left, cost: leftOf(({ cost }) => cost) };
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

function descriptionOf({ model, team }: ChargedPart): string {
  if (team === UNASSIGNED) return 'Credits of no shown team';
  if (team !== null) return `Credits used by the team ${team}`;
  return model === null ? 'Credits that belong to no model' : `Credits used with ${model}`;
}

/** The first instant of a day. */
function startText(day: Day): string {
  return `${day}T00:00:00Z`;
}
