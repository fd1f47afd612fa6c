interface Column {
  readonly type: 'Decimal' | 'String' | 'Date/Time' | 'JSON' | 'Tags';
  readonly level: 'Mandatory' | 'Recommended' | 'Conditional';
  readonly nullable: boolean;
  /** The allowed values that this file may contain. */
  readonly allowed?: readonly string[];
  /** Decimal values must not be negative. */
  readonly isUnitPrice?: true;
}

const mandatory = { level: 'Mandatory' } as const;
const conditional = { level: 'Conditional', nullable: true } as const;

/**
 * Columns of the Cost and Usage dataset of FOCUS 1.4, by their ids, compared with the table of columns in the
 * specification's repository: every mandatory one, every recommended one without a condition, and those conditional ones that
 * an exporter of usage at unit prices can have. Others are conditional on availability zones, commitments, capacity
 * reservations, several currencies, principals, regions, resources, sub accounts or split costs, which credits do not
 * have.
 */
export const costAndUsage: Readonly<Record<string, Column>> = {
  BilledCost: { ...mandatory, type: 'Decimal', nullable: false },
  BillingAccountId: { ...mandatory, type: 'String', nullable: false },
  BillingAccountName: { ...mandatory, type: 'String', nullable: true },
  BillingCurrency: { ...mandatory, type: 'String', nullable: false },
  BillingPeriodEnd: { ...mandatory, type: 'Date/Time', nullable: false },
  BillingPeriodStart: { ...mandatory, type: 'Date/Time', nullable: false },
  ChargeCategory: { ...mandatory, type: 'String', nullable: false, allowed: ['Usage'] },
  ChargeClass: { ...mandatory, type: 'String', nullable: true, allowed: ['Correction'] },
  ChargeDescription: { ...mandatory, type: 'String', nullable: true },
  ChargeFrequency: { level: 'Recommended', type: 'String', nullable: false, allowed: ['Usage-Based'] },
  ChargePeriodEnd: { ...mandatory, type: 'Date/Time', nullable: false },
  ChargePeriodStart: { ...mandatory, type: 'Date/Time', nullable: false },
  ConsumedQuantity: { ...conditional, type: 'Decimal' },
  ConsumedUnit: { ...conditional, type: 'String' },
  ContractedCost: { ...mandatory, type: 'Decimal', nullable: false },
  ContractedUnitPrice: { ...conditional, type: 'Decimal', isUnitPrice: true },
  EffectiveCost: { ...mandatory, type: 'Decimal', nullable: false },
  HostProviderName: { ...mandatory, type: 'String', nullable: false },
  InvoiceDetailId: { ...conditional, type: 'String' },
  InvoiceId: { ...conditional, type: 'String' },
  InvoiceIssuerName: { ...mandatory, type: 'String', nullable: false },
  ListCost: { ...mandatory, type: 'Decimal', nullable: false },
  ListUnitPrice: { ...conditional, type: 'Decimal', isUnitPrice: true },
  PricingQuantity: { ...mandatory, type: 'Decimal', nullable: true },
  PricingUnit: { ...mandatory, type: 'String', nullable: true },
  ServiceCategory: {
    ...mandatory,
    type: 'String',
    nullable: false,
    allowed: ['AI and Machine Learning'],
  },
  ServiceName: { ...mandatory, type: 'String', nullable: false },
  ServiceProviderName: { ...mandatory, type: 'String', nullable: false },
  ServiceSubcategory: {
    level: 'Recommended',
    type: 'String',
    nullable: false,
    // Those of the service category, since a subcategory has one parent.
    allowed: [
      ...['AI Platforms', 'Bots', 'Generative AI', 'Machine Learning', 'Natural Language Processing'],
      'Other (AI and Machine Learning)',
    ],
  },
  SkuId: { ...conditional, type: 'String' },
  SkuMeter: { ...conditional, type: 'String' },
  SkuPriceDetails: { ...conditional, type: 'JSON' },
  SkuPriceId: { ...conditional, type: 'String' },
  Tags: { ...conditional, type: 'Tags' },
};

/** What is wrong with a row, an empty text being null. */
export function faultsOf(row: Readonly<Record<string, string>>): readonly string[] {
  const faults: string[] = [];
  for (const [id, column] of Object.entries(costAndUsage)) {
    const text = row[id];
    if (text === undefined) {
      if (column.level !== 'Conditional') faults.push(`${id} is missing`);
    } else if (text === '') {
      if (!column.nullable) faults.push(`${id} is null`);
    } else {
      if (!hasType(text, column)) faults.push(`${id} is no ${column.type}: ${text}`);
      if (column.allowed?.includes(text) === false) faults.push(`${id} is not allowed: ${text}`);
    }
  }
  const custom = Object.keys(row).filter((id) => !(id in costAndUsage));
  faults.push(...custom.filter((id) => !/^x_[A-Z][A-Za-z0-9]*$/.test(id)).map((id) => `${id} is unknown`));
  const usage = [
    ...['SkuId', 'SkuPriceId', 'ListUnitPrice', 'ContractedUnitPrice', 'PricingQuantity', 'PricingUnit'],
    ...['ConsumedQuantity', 'ConsumedUnit'],
  ];
  faults.push(...usage.filter((id) => row[id] === '').map((id) => `${id} is null for usage`));
  if (row['SkuMeter'] === '') faults.push('SkuMeter is null for a SKU');
  for (const id of ['PricingUnit', 'ConsumedUnit']) {
    // A quantity, and a capitalized plural noun.
    if (!/^([1-9]\d* )?[A-Z][a-z]+s$/.test(row[id] ?? '')) faults.push(`${id} is no unit: ${row[id]}`);
  }
  // The exporter invoices nothing, and neither corrects nor belongs to an invoice.
  if (row['BilledCost'] !== '0.0') faults.push('BilledCost is not 0');
  for (const id of ['ChargeClass', 'InvoiceId', 'InvoiceDetailId']) {
    if (row[id] !== '') faults.push(`${id} is not null`);
  }
  if (!isProduct(row, 'ListCost', 'ListUnitPrice')) faults.push('the list cost is not price times quantity');
  if (!isProduct(row, 'ContractedCost', 'ContractedUnitPrice'))
    faults.push('the contracted cost is not, either');
  return faults;
}

function hasType(text: string, { type, isUnitPrice }: Column): boolean {
  switch (type) {
    case 'Decimal':
      // With a decimal point, by which the specification's validator tells decimals from integers.
      return (isUnitPrice ? /^\d+\.\d+$/ : /^-?\d+\.\d+$/).test(text);
    case 'Date/Time':
      return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/.test(text) && !Number.isNaN(Date.parse(text));
    case 'JSON':
      return isKeyValues(JSON.parse(text), /^x_[A-Z][A-Za-z0-9]*$/);
    case 'Tags':
      // A key of the operator's own has no prefix.
      return isKeyValues(JSON.parse(text), /^team$/);
    default:
      return text === text.trim();
  }
}

/** Key-value format: an object of plain values with such keys; those that the specification does not define begin with `x_`. */
function isKeyValues(value: unknown, keys: RegExp): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(
    ([key, each]) => keys.test(key) && (typeof each !== 'object' || each === null),
  );
}

function isProduct(row: Readonly<Record<string, string>>, cost: string, price: string): boolean {
  const product = Number(row[price]) * Number(row['PricingQuantity']);
  return Math.abs(product - Number(row[cost])) <= 1e-9 * Math.max(1, Math.abs(product));
}
