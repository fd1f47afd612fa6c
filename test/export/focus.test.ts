import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { addDays, type Day, startOf } from '../../src/catalog/day.ts';
import type { PlatformMoney } from '../../src/catalog/money.ts';
import type { Platform } from '../../src/catalog/platform.ts';
import type { Contract } from '../../src/catalog/settings.ts';
import { spendFamilies as spend, spendCollector } from '../../src/collectors/spend/collector.ts';
import { tokenFamilies as tokens, tokensCollector } from '../../src/collectors/tokens/collector.ts';
import type { TokensRow } from '../../src/collectors/tokens/dataset.ts';
import { formatOf } from '../../src/commands/export.ts';
import type { Config } from '../../src/config/config.ts';
import { createFocusFormat } from '../../src/export/focus.ts';
import { agentPlatform } from '../../src/platforms/agent-platform/platform.ts';
import { createFakeView } from '../collectors/fakes.ts';
import { dayNamed } from '../support/day.ts';
import { BOTH, COST, under } from '../support/money.ts';
import { storedOrg } from '../support/store.ts';
import { defaultValues, exported } from './fixtures.ts';
import { costAndUsage, faultsOf } from './focus-specification.ts';

const FIRST = dayNamed('2026-03-30');
const prices = [
  { from: dayNamed('2026-03-31'), currency: 'USD', perMillionCredits: 2.7 },
  { from: dayNamed('2026-04-01'), currency: 'EUR', perMillionCredits: 3 },
];
const values = { ...defaultValues, format: 'focus' } as const;

function configWith(contract: Contract, enabled: readonly string[] = []): Config {
  const collectors = new Map(enabled.map((name) => [name, true]));
  return { orgs: [{ name: 'acme', platform: agentPlatform, contract }], collectors } as unknown as Config;
}

function tokensOf(credits: number, byModel: readonly (readonly [string, number])[]) {
  return {
    credits,
    byModel: byModel.map(([model, used]) => ({ model, tier: 'standard', credits: used })),
  };
}

const byDay = (rows: readonly unknown[]) =>
  new Map(
    rows.map((row, index) => [addDays(FIRST, index), row] as const).filter(([, row]) => row !== undefined),
  );

const focusOf = (...rows: readonly unknown[]) => focusBy('day', rows);

/** The file of days with these rows of tokens and of users; undefined is a day that was never answered. */
async function focusBy(
  by: 'day' | 'team',
  rows: readonly unknown[],
  people: readonly unknown[] = [],
  billing: Partial<Contract> = {},
  orgId: string | null = 'org_1',
) {
  const kept = new Map<string, ReadonlyMap<Day, unknown>>([
    ['tokens', byDay(rows)],
    ['users', byDay(people)],
  ]);
  const contract = { prices, ...billing };
  const { format, published } = formatOf({ ...values, by }, configWith(contract, ['users']));
  const { lines, outcome } = await exported({
    orgs: [
      {
        settings: {
          name: 'acme',
          readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: false },
          contract,
        },
        history: storedOrg({
          orgId: orgId ?? undefined,
          days: (dataset) => kept.get(dataset),
        }),
      },
    ],
    collectors: published,
    from: FIRST,
    to: addDays(FIRST, rows.length - 1),
    now: startOf(dayNamed('2026-06-01')),
    format,
  });
  return { charges: parse(lines.join(''), { columns: true }) as Record<string, string>[], outcome };
}

/** A row of people by the credits of their teams. */
const teamsOf = (credits: Readonly<Record<string, number>>) => ({
  byTeam: Object.entries(credits).map(([team, used]) => ({ team, active: 5, credits: used })),
});

const sumOf = (charges: readonly Record<string, string>[], column: string) =>
  charges.reduce((sum, charge) => sum + Number(charge[column]), 0);

describe('a FOCUS file', () => {
  test('follows the columns and types of the specification', async () => {
    const { charges } = await focusOf(
      tokensOf(1, []),
      tokensOf(2_000_000, [
        ['a', 1_500_000],
        ['=b,"c', 400_000],
      ]),
      tokensOf(1e-3, [['tiny', 1e-3]]),
    );
    expect(charges).toHaveLength(4);
    expect(charges.flatMap(faultsOf)).toEqual([]);
    const ids = Object.keys(charges[0] ?? {});
    expect(ids.filter((id) => id in costAndUsage)).toEqual(Object.keys(costAndUsage));
    // Custom columns come last.
    expect(ids.findIndex((id) => id.startsWith('x_'))).toBe(Object.keys(costAndUsage).length);
  });

  test('keeps the spelling of identifiers, which other programs compare', async () => {
    const models = ['@cf/meta/llama', '=b,"c', '-'];
    const { charges } = await focusOf(
      tokensOf(5, []),
      tokensOf(
        3,
        models.map((model) => [model, 1]),
      ),
    );
    const ids = charges.map(({ SkuId, SkuPriceId, x_Model }) => [SkuId, SkuPriceId, x_Model]);
    expect(ids.sort()).toEqual(models.sort().map((model) => [model, `${model}/standard`, model]));
  });

  test('has rows of a day that add up to its cost, with one for credits of no model', async () => {
    const { charges } = await focusOf(
      tokensOf(5, [['a', 5]]),
      tokensOf(2_000_000, [
        ['a', 1_500_000],
        ['b', 400_000],
      ]),
    );
    expect(charges.map(({ SkuId, ConsumedQuantity }) => [SkuId, ConsumedQuantity])).toEqual([
      ['a', '1500000.0'],
      ['b', '400000.0'],
      ['unattributed', '100000.0'],
    ]);
    expect(charges[2]?.['ListCost']).toBe('0.27');
    expect(sumOf(charges, 'ListCost')).toBeCloseTo(5.4, 12);
    expect(sumOf(charges, 'ConsumedQuantity')).toBe(2_000_000);
  });

  test('has costs without the digits of rounding errors, in the parts and in the rest', async () => {
    const { charges } = await focusOf(
      tokensOf(5, []),
      tokensOf(337_138_195, [
        ['a', 211_111_111],
        ['b', 88_888_889.25],
      ]),
      tokensOf(337_138_195, [['a', 337_138_195]]),
    );
    expect(charges.map(({ EffectiveCost }) => EffectiveCost)).toEqual([
      '569.9999997',
      '240.000000975',
      '100.273125825',
      '1011.414585',
    ]);
    expect(charges[2]?.['ConsumedQuantity']).toBe('37138194.75');
  });

  test('has the rest of a large total without the digits that the subtraction leaves', async () => {
    const { charges } = await focusOf(
      tokensOf(5, []),
      tokensOf(5, []),
      // At 3 EUR, 1 000 567.59 and 1 000 000 of it.
      tokensOf(333_522_530_000, [['a', 333_333_333_333.333_3]]),
    );
    expect(charges.map(({ SkuId, EffectiveCost }) => [SkuId, EffectiveCost])).toEqual([
      ['unattributed', '0.0000135'],
      ['a', '1000000.0'],
      ['unattributed', '567.59'],
    ]);
  });

  test('describes each charge, and names the account by its identifier', async () => {
    const rows = [tokensOf(5, []), tokensOf(3, [['a', 2]]), tokensOf(7, [])];
    const people = [{ byTeam: [] }, teamsOf({ core: 2 }), teamsOf({ core: 7 })];
    const columns = ['BillingAccountId', 'BillingAccountName', 'ChargeDescription', 'SkuPriceDetails'];
    const described = ({ charges }: Awaited<ReturnType<typeof focusBy>>) =>
      charges.map((charge) => columns.map((column) => charge[column]));
    expect(described(await focusBy('day', rows.slice(0, 2)))).toEqual([
      ['org_1', 'acme', 'Credits used with a', '{"x_Tier":"standard"}'],
      ['org_1', 'acme', 'Credits that belong to no model', ''],
    ]);
    expect(described(await focusBy('team', rows, people))).toEqual([
      ['org_1', 'acme', 'Credits used by the team core', ''],
      ['org_1', 'acme', 'Credits of no shown team', ''],
      ['org_1', 'acme', 'Credits used by the team core', ''],
    ]);
  });

  test('names the account by the organization until its identifier is known', async () => {
    const { charges } = await focusBy('day', [tokensOf(5, []), tokensOf(3, [])], [], {}, null);
    expect(charges).toMatchObject([{ BillingAccountId: 'acme', BillingAccountName: 'acme' }]);
  });

  test('has the price as it is configured', async () => {
    const contract = { prices: [{ from: FIRST, currency: 'USD', perMillionCredits: 1.94 }] };
    const { charges } = await focusBy('day', [tokensOf(5, [])], [], contract);
    expect(charges).toMatchObject([{ ListUnitPrice: '1.94', ContractedUnitPrice: '1.94' }]);
  });

  test('never presents the estimate as billed', async () => {
    const { charges } = await focusOf(tokensOf(5, []), tokensOf(1_000_000, [['a', 1_000_000]]));
    expect(charges).toMatchObject([
      {
        BilledCost: '0.0',
        InvoiceId: '',
        EffectiveCost: '2.7',
        x_CostBasis: 'estimate at the list price; not invoiced',
      },
    ]);
  });

  test('has each day at its own price and currency, in its own month', async () => {
    const { charges } = await focusOf(
      tokensOf(5, []),
      tokensOf(1_000_000, [['a', 1_000_000]]),
      tokensOf(1_000_000, [['a', 1_000_000]]),
    );
    const period = [
      'BillingPeriodStart',
      'ChargePeriodStart',
      'ChargePeriodEnd',
      'BillingPeriodEnd',
      'BillingCurrency',
    ];
    expect(
      charges.map((charge) => period.map((column) => charge[column]?.replace('T00:00:00Z', ''))),
    ).toEqual([
      ['2026-03-01', '2026-03-31', '2026-04-01', '2026-04-01', 'USD'],
      ['2026-04-01', '2026-04-01', '2026-04-02', '2026-05-01', 'EUR'],
    ]);
  });

  test('has the billing months of the organization', async () => {
    const rows = [tokensOf(5, []), tokensOf(1_000_000, []), tokensOf(1_000_000, [])];
    const { charges } = await focusBy('day', rows, [], { periodStarts: 31 });
    expect(charges.map((charge) => [charge['BillingPeriodStart'], charge['BillingPeriodEnd']])).toEqual([
      ['2026-03-31T00:00:00Z', '2026-04-30T00:00:00Z'],
      ['2026-03-31T00:00:00Z', '2026-04-30T00:00:00Z'],
    ]);
  });

  test('leaves days without a price out and names them', async () => {
    const { charges, outcome } = await focusOf(tokensOf(5, [['a', 5]]));
    expect(charges).toEqual([]);
    expect(outcome.omitted).toEqual(new Map([['acme', ['2026-03-30']]]));
  });

  test('leaves days without credits out, and names them as unknown', async () => {
    const rows = [tokensOf(5, []), { byModel: [], rejected: { credits: 1 } }, tokensOf(5, [['a', 5]])];
    const { charges, outcome } = await focusOf(...rows);
    expect(charges.map(({ ChargePeriodStart }) => ChargePeriodStart)).toEqual(['2026-04-01T00:00:00Z']);
    expect(outcome.omitted).toEqual(new Map([['acme', ['2026-03-30']]]));
    expect(outcome.unknown).toEqual(new Map([['acme/tokens', ['2026-03-31']]]));
  });

  test('has rows by team on request, with the team in Tags, that add up to the cost', async () => {
    const { charges } = await focusBy(
      'team',
      [tokensOf(5, []), tokensOf(2_000_000, [['a', 2_000_000]]), tokensOf(1_000, []), tokensOf(1_000, [])],
      [
        { byTeam: [] },
        teamsOf({ '=plat,"form': 1_500_000, other: 400_000 }),
        // No team is shown; and the people have more than the total.
        teamsOf({}),
        teamsOf({ none: 1_001 }),
      ],
    );
    expect(charges.flatMap(faultsOf)).toEqual([]);
    const columns = ['ChargePeriodStart', 'Tags', 'SkuId', 'x_Model', 'ConsumedQuantity'];
    expect(charges.map((charge) => columns.map((column) => charge[column]))).toEqual([
      ['2026-03-31T00:00:00Z', '{"team":"=plat,\\"form"}', 'credits', '', '1500000.0'],
      ['2026-03-31T00:00:00Z', '{"team":"other"}', 'credits', '', '400000.0'],
      ['2026-03-31T00:00:00Z', '{"team":"unassigned"}', 'credits', '', '100000.0'],
      ['2026-04-01T00:00:00Z', '{"team":"unassigned"}', 'credits', '', '1000.0'],
      ['2026-04-02T00:00:00Z', '{"team":"none"}', 'credits', '', '1001.0'],
      ['2026-04-02T00:00:00Z', '{"team":"unassigned"}', 'credits', '', '-1.0'],
    ]);
    expect(sumOf(charges.slice(0, 3), 'ListCost')).toBeCloseTo(5.4, 12);
    expect(sumOf(charges.slice(4), 'ListCost')).toBeCloseTo(0.003, 12);
  });

  test('leaves a day out whose teams are unknown, and names it', async () => {
    const rows = [tokensOf(5, []), tokensOf(5, []), tokensOf(5, [])];
    const withoutCredits = { byTeam: [{ team: 'a', active: 5 }] };
    for (const unknown of [undefined, { rejected: { people: 1 } }, withoutCredits]) {
      const people = [teamsOf({ a: 5 }), unknown, teamsOf({ a: 5 })];
      const { charges, outcome } = await focusBy('team', rows, people);
      expect(charges.map(({ ChargePeriodStart }) => ChargePeriodStart)).toEqual(['2026-04-01T00:00:00Z']);
      expect(outcome.unknown).toEqual(new Map([['acme/users', ['2026-03-31']]]));
    }
  });

  test('by team needs the collector of people', () => {
    expect(() => formatOf({ ...values, by: 'team' }, configWith({ prices }))).toThrow(
      'the collector users is off',
    );
  });

  test('needs a price for every organization', () => {
    expect(() => formatOf(values, configWith({ prices: [] }))).toThrow(
      'no prices are set for the organization acme',
    );
    expect(() => formatOf({ ...values, collector: ['tools'] }, configWith({ prices }))).toThrow(
      '--collector',
    );
    expect(formatOf(values, configWith({ prices })).collectors).toEqual([tokensCollector, spendCollector]);
  });
});

describe('a FOCUS file of reported money', () => {
  const focusFamilies = {
    cost: spend.dailyCost,
    credits: tokens.dailyCredits,
    price: spend.creditPrice,
    costOfParts: spend.dailyCostByModel,
    creditsOfParts: tokens.dailyCreditsByModel,
    listCost: spend.dailyListCost,
    billedCost: spend.dailyBilledCost,
    listCostOfParts: spend.dailyListCostByModel,
    billedCostOfParts: spend.dailyBilledCostByModel,
  };
  const names = {
    service: 'Octo',
    serviceProvider: 'Octo Inc.',
    hostProvider: 'Cloud',
    invoiceIssuer: 'Shop',
  };

  /** The charges of one day of a platform with this money. */
  async function chargesOf(money: PlatformMoney, row: TokensRow, named?: typeof names) {
    const config = {
      orgs: [{ name: 'acme', platform: { ...agentPlatform, money } }],
      collectors: new Map(),
    } as unknown as Config;
    const { published } = formatOf({ ...values, by: 'day' }, config);
    const format = named
      ? createFocusFormat('model', focusFamilies, () => named)
      : createFocusFormat('model', focusFamilies, () => agentPlatform.focus);
    const settings = under(createFakeView({}), { money }).settings;
    const history = storedOrg({
      orgId: 'org_1',
      days: (name) => (name === 'tokens' ? byDay([row, row]) : undefined),
    });
    const { lines, outcome } = await exported({
      orgs: [{ settings, history }],
      collectors: published,
      from: FIRST,
      to: FIRST,
      now: startOf(dayNamed('2026-06-01')),
      format,
    });
    return { charges: parse(lines.join(''), { columns: true }) as Record<string, string>[], outcome };
  }

  const models = [
    { model: 'a', tier: 'unknown', cost: 6 },
    { model: 'b', tier: 'unknown', cost: 3 },
  ];

  test('has no credits, no unit price, and every amount of the day', async () => {
    const { charges } = await chargesOf(COST, { cost: 10, listCost: 12.5, byModel: models });
    // The specification wants a quantity and a price of all use; here nothing counts it.
    const ofUnits = /^(?:\w+(?:UnitPrice|Quantity|Unit|Meter) is |the (?:list|contracted) cost is not)/;
    expect(charges.flatMap(faultsOf).filter((fault) => !ofUnits.test(fault))).toEqual([]);
    expect(charges.map(({ x_Model }) => x_Model)).toEqual(['a', 'b', '']);
    for (const column of ['EffectiveCost', 'ContractedCost']) expect(sumOf(charges, column)).toBe(10);
    expect(charges.map(({ ListCost }) => ListCost)).toEqual(['7.5', '3.75', '1.25']);
    expect(sumOf(charges, 'BilledCost')).toBe(0);
    const empty = ['ConsumedQuantity', 'ConsumedUnit', 'PricingQuantity', 'PricingUnit', 'SkuMeter'];
    for (const column of [...empty, 'ContractedUnitPrice', 'ListUnitPrice']) {
      expect(charges.map((charge) => charge[column])).toEqual(['', '', '']);
    }
    expect(charges[0]).toMatchObject({
      BillingCurrency: 'USD',
      ChargeDescription: 'Use with a',
      ServiceName: 'AI coding-agent platform',
      x_CostBasis: 'reported by the platform; seat fees not included',
    });
  });

  test('has what each model costs before its own discount, and what belongs to none', async () => {
    const byModel = [
      { model: 'a', tier: 'unknown', cost: 6, listCost: 7 },
      { model: 'b', tier: 'unknown', cost: 3, listCost: 5 },
      { model: 'free', tier: 'unknown', cost: 0, listCost: 2 },
    ];
    const { charges } = await chargesOf(COST, { cost: 10, listCost: 14.5, byModel });
    const columnsOf = ({ x_Model, EffectiveCost, ListCost }: Record<string, string>) =>
      [x_Model, EffectiveCost, ListCost].join(' ');
    expect(charges.map(columnsOf)).toEqual(['a 6.0 7.0', 'b 3.0 5.0', 'free 0.0 2.0', ' 1.0 0.5']);
  });

  test('has a list cost that belongs to no model and costs nothing', async () => {
    const { charges } = await chargesOf(COST, { cost: 0, listCost: 2, byModel: [] });
    expect(charges).toMatchObject([{ SkuId: 'unattributed', EffectiveCost: '0.0', ListCost: '2.0' }]);
  });

  test('divides a list cost that one of its models lacks by their cost', async () => {
    const byModel = [{ model: 'a', tier: 'unknown', cost: 6, listCost: 7 }, ...models.slice(1)];
    const { charges } = await chargesOf(COST, { cost: 9, listCost: 12, byModel });
    expect(charges.map(({ ListCost }) => ListCost)).toEqual(['8.0', '4.0']);
  });

  test('gives what is billed of models that cost nothing to the last one', async () => {
    const byModel = models.map((one) => ({ ...one, credits: 300, cost: 0 }));
    const { charges } = await chargesOf(BOTH, { credits: 600, cost: 0, billedCost: 2, byModel });
    expect(charges.map(({ BilledCost }) => BilledCost)).toEqual(['0.0', '2.0']);
  });

  test('has what is billed of each model, and what is billed of none and costs nothing', async () => {
    const byModel = [
      { model: 'a', tier: 'unknown', credits: 600, cost: 6, billedCost: 0 },
      { model: 'b', tier: 'unknown', credits: 300, cost: 3, billedCost: 1.5 },
    ];
    const day = { credits: 900, cost: 9, byModel };
    const { charges } = await chargesOf(BOTH, { ...day, billedCost: 1.5 });
    expect(charges.map(({ BilledCost }) => BilledCost)).toEqual(['0.0', '1.5']);
    const { charges: more } = await chargesOf(BOTH, { ...day, billedCost: 2 });
    expect(more.map(({ BilledCost, EffectiveCost }) => [BilledCost, EffectiveCost])).toEqual([
      ['0.0', '6.0'],
      ['1.5', '3.0'],
      ['0.5', '0.0'],
    ]);
  });

  test('has the credits that a platform counts, and what it bills', async () => {
    const counted = models.map((one) => ({ ...one, credits: one.cost * 100 }));
    const { charges } = await chargesOf(
      BOTH,
      { credits: 900, cost: 9, billedCost: 0.1, byModel: counted },
      names,
    );
    // The specification wants 0 of files that do not come from the biller.
    expect(charges.flatMap(faultsOf)).toEqual(['BilledCost is not 0', 'BilledCost is not 0']);
    expect(charges.map(({ ConsumedQuantity }) => ConsumedQuantity)).toEqual(['600.0', '300.0']);
    expect(sumOf(charges, 'BilledCost')).toBeCloseTo(0.1, 12);
    expect(charges.map(({ ListCost }) => ListCost)).toEqual(['6.0', '3.0']);
    expect(charges[0]).toMatchObject({
      ContractedUnitPrice: '10000.0',
      ListUnitPrice: '10000.0',
      ServiceName: 'Octo',
      ServiceProviderName: 'Octo Inc.',
      HostProviderName: 'Cloud',
      InvoiceIssuerName: 'Shop',
    });
  });

  test('has parts of credits and of what is billed without the rounding error of their sum', async () => {
    const [sum, billedCost] = [42.371249999999996, 4.2103649999999995];
    const byModel = [{ model: 'a', tier: 'unknown', cost: 4.210365, credits: sum, billedCost }];
    const { charges } = await chargesOf(BOTH, { credits: sum, cost: 4.210365, billedCost, byModel });
    expect(charges).toHaveLength(1);
    expect(charges[0]).toMatchObject({ ConsumedQuantity: '42.37125', PricingQuantity: '0.00004237125' });
    expect(charges[0]).toMatchObject({ EffectiveCost: '4.210365', BilledCost: '4.210365' });
  });

  test('says of each row whether it may still change where the platform revises its money, and only there', async () => {
    const fileOf = async (days: Platform['days']) => {
      const config = {
        orgs: [{ name: 'acme', platform: { ...agentPlatform, money: BOTH, days } }],
        collectors: new Map(),
      } as unknown as Config;
      const { format, published } = formatOf(values, config);
      const row = { credits: 600, cost: 6, billedCost: 1, byModel: [{ ...models[0], credits: 600 }] };
      const { lines } = await exported({
        orgs: [
          {
            settings: under(createFakeView({}), { money: BOTH, days }).settings,
            history: storedOrg({ days: (name) => (name === 'tokens' ? byDay([row, row]) : undefined) }),
          },
        ],
        collectors: published,
        from: FIRST,
        to: addDays(FIRST, 1),
        now: startOf(addDays(FIRST, 31)),
        format,
      });
      return { lines, figures: format.compared?.figures };
    };
    const final = await fileOf({});
    const { lines, figures } = await fileOf({ tokens: { revisedFor: 31 } });
    const last = [',x_Provisional\n', ',false\n', ',true\n'];
    expect(lines).toEqual(final.lines.map((line, index) => line.replace('\n', last[index] ?? '')));
    expect(final.figures).toEqual(['ConsumedQuantity', 'EffectiveCost']);
    expect(figures).toEqual([...(final.figures ?? []), 'ListCost', 'BilledCost']);
  });

  test.each<TokensRow>([{ credits: 900 }, { cost: 9, byModel: models }])(
    'has no row of a day without its cost or its credits: %j',
    async (row) => {
      const { charges, outcome } = await chargesOf(BOTH, row);
      expect(charges).toEqual([]);
      expect([...outcome.unknown]).toEqual([['acme/tokens', [FIRST]]]);
    },
  );
});
