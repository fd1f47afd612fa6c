import * as z from 'zod';
import { type Budget, type Contract, type CreditPrice, DEFAULT_PLATFORM } from '../catalog/settings.ts';
import { platformNamed } from '../platforms/index.ts';
import { platforms } from '../platforms/list.ts';
import { day, url } from './kinds.ts';
import { type Option, type OptionTable, optionsIn } from './option.ts';
import { hostPattern, isOrgName, orgNamePattern, orgNameRule, quoted } from './parse.ts';
import { problemsOn } from './platform.ts';
import {
  list,
  positiveNumber,
  priceNumber,
  refuse,
  section,
  text,
  textLike,
  variableName,
  wholeNumber,
} from './validate.ts';

export const MAX_SEATS = 10_000_000;
/** Above this, numbers of credits are not exact. */
export const MAX_CREDITS = Number.MAX_SAFE_INTEGER;
const MAX_PRICE = 1_000_000_000;
const MAX_AMOUNT = 1_000_000_000_000;
const MAX_VALUES = 10_000_000;
const MAX_SERIES = 100_000_000;
const VALUES_PER_LABEL = { default: 200, repo: 5000, user: 20_000 };
const SERIES = 1_000_000;

const currency = textLike(/^[A-Z]{3}$/, 'a currency of three capital letters, such as USD');

const hostSuffix = textLike(
  new RegExp(`^(?=.{1,253}$)${hostPattern.slice(1)}`),
  'a host name in lower case, such as reports.example.com',
);

/** The budget of a month, in credits or in money. */
export const budgetSchema = z
  .strictObject({
    credits_per_month: positiveNumber(MAX_CREDITS).optional(),
    amount: positiveNumber(MAX_AMOUNT).optional(),
    currency: currency.optional(),
    per: z.enum(['month']).default('month'),
  })
  // For a JSON Schema.
  .meta({ oneOf: [{ required: ['credits_per_month'] }, { required: ['amount', 'currency'] }] })
  .transform(({ credits_per_month: credits, amount, currency: code }, context): Budget => {
    const money = amount === undefined || code === undefined ? undefined : { amount, currency: code };
    const given = [credits, amount ?? code].filter((part) => part !== undefined);
    const budget = credits ?? money;
    if (budget !== undefined && given.length === 1) return budget;
    return refuse(context, 'needs either credits_per_month, or an amount and its currency');
  });

const price = z
  .strictObject({
    from: day(),
    currency,
    per_million_credits: priceNumber(MAX_PRICE),
  })
  .transform(
    ({ per_million_credits: perMillionCredits, ...rest }): CreditPrice => ({ ...rest, perMillionCredits }),
  );

const prices = list(price).transform((entries, context): readonly CreditPrice[] => {
  for (const [index, { from }] of entries.entries()) {
    if (entries.findIndex((other) => other.from === from) < index) {
      refuse(context, `the price from ${from} on is given twice`, undefined, [index]);
    }
  }
  return entries.toSorted((a, b) => (a.from < b.from ? -1 : 1));
});

/** An organization; `standard` is the default that the documentation shows. */
export const orgSchema = z
  .strictObject({
    name: text()
      .normalize()
      .refine(isOrgName, { error: ({ input }) => `${quoted(String(input))} is not ${orgNameRule}` })
      .meta({
        pattern: orgNamePattern,
        standard: 'required',
        description:
          'Value of the `org` label: 1 to 64 letters and digits, with dots, dashes, underscores or spaces between them. Names must be unique',
      }),
    platform: z
      .enum(platforms.map(({ name }) => name))
      .default(DEFAULT_PLATFORM)
      .meta({
        description:
          'The platform whose API is asked. What it does not have is refused: see the page of the platform in docs/platforms. Another platform, account or kind is another organization: the stored data is set aside, and restored with the former one',
      }),
    base_url: url.optional().meta({
      standard: 'required, where the platform has no address of its own',
      description: 'Base URL of the API host',
    }),
    app_url: url.optional().meta({
      standard: '`base_url`',
      description: 'Base URL of the web-app host, which serves the readiness reports',
    }),
    api_key_file: text().optional().meta({
      standard: 'this or `api_key_env`',
      description:
        'File with the API key. A relative path is resolved against the directory of the configuration file',
    }),
    api_key_env: variableName.optional().meta({
      standard: 'this or `api_key_file`',
      description: 'Name of the environment variable with the API key',
    }),
    org_id: text().trim().optional().meta({
      standard: 'the first one in the answers',
      description:
        "The platform's identifier of the organization. Answers of other organizations are refused. Changing it declares a deliberate change of organization: the stored data of the former organization is set aside and restored when its identifier is configured again",
    }),
    account: text().trim().optional().meta({
      standard: 'none',
      description: 'Name of the organization on a platform whose paths contain it',
    }),
    kind: text().optional().meta({
      standard: "the platform's first one",
      description: 'Kind of the organization, on a platform that has several',
    }),
    link_hosts: list(hostSuffix).optional().meta({
      standard: '`[]`',
      description:
        'Other hosts from which reports are fetched where an answer names them, besides those of the platform: a name, and every name that ends with a dot and it. They get no key. A host with a private address has to be named itself',
    }),
    seats: wholeNumber(1, MAX_SEATS).optional().meta({
      standard: 'none',
      description: 'Number of paid seats, to compare with active people',
    }),
    budget: budgetSchema.optional().meta({
      standard: 'none',
      description:
        '`{credits_per_month: 500000000}`, or `{amount: 1500, currency: USD, per: month}`: the budget of a month (UTC), in credits or in money. For one in money, each day counts at its own price, and `prices` must have its currency',
    }),
    prices: prices.optional().meta({
      standard: '`[]`',
      description:
        '`[{from: 2026-01-14, currency: USD, per_million_credits: 2.70}]`: the price of credits. Each price applies from its day (UTC) until the next one starts. `currency` is a code of three capital letters. Days without a price have no cost',
    }),
    billing: z
      .strictObject({ period_starts: wholeNumber(1, 31) })
      .optional()
      .meta({
        standard: '`{period_starts: 1}`',
        description:
          '`{period_starts: 9}`: the day of a calendar month (UTC) on which the billing month starts, which month to date, forecast, budget and the billing periods of FOCUS are of. In a calendar month without that day it starts on the last one',
      }),
    calendar: z
      .strictObject({
        days_off: list(day()).prefault([]),
        country: textLike(/^[A-Z]{2}$/, 'a country of two capital letters, such as DE').optional(),
      })
      .optional()
      .meta({
        standard: 'none',
        description:
          '`{country: DE, days_off: [2026-12-24]}`: days on which the organization does not work. Such a day counts as a Sunday wherever days are compared with their weekday or expected: forecasts, the usual range of a day, silent platforms and drops of adoption. `country` has two capital letters (ISO 3166) and stands for the public holidays of the whole country from 2025 to 2036, without those of its regions; `days_off` adds days to them',
      }),
  })
  .superRefine((entry, context) => {
    const { budget, prices: known = [], api_key_file: file, api_key_env: variable } = entry;
    const platform = platformNamed(entry.platform);
    for (const { key, message, hint } of problemsOn(platform, entry)) refuse(context, message, hint, [key]);
    const isPriced = platform.money.currency === undefined;
    if (
      isPriced &&
      typeof budget === 'object' &&
      known.every(({ currency: one }) => one !== budget.currency)
    ) {
      const message = `${budget.currency} is the currency of no price: a budget in money needs prices`;
      refuse(context, message, undefined, ['budget', 'currency']);
    }
    if ((file === undefined) !== (variable === undefined)) return;
    refuse(context, `needs ${file === undefined ? 'an' : 'only one of'} api_key_file or api_key_env`);
  })
  // For a JSON Schema.
  .meta({
    oneOf: [{ required: ['api_key_file'] }, { required: ['api_key_env'] }],
    anyOf: [{ required: ['base_url'] }, { required: ['platform'] }],
  });

/** An organization in the file, with exactly one source of its key. */
export type OrgEntry = z.output<typeof orgSchema>;

/** The seats, budget, prices and billing months of an organization, undefined if it has none of these keys. */
export function contractOf({ seats, budget, prices, billing }: OrgEntry): Contract | undefined {
  if ([seats, budget, prices, billing].every((key) => key === undefined)) return undefined;
  const inMoney = typeof budget === 'object';
  return {
    seats,
    creditsPerMonth: inMoney ? undefined : budget,
    costPerMonth: inMoney ? budget : undefined,
    prices: prices ?? [],
    periodStarts: billing?.period_starts,
  };
}

const readinessSchema = z
  .strictObject({
    branches: list(text().normalize()).prefault([]).meta({
      description:
        'Branches that count as the main branch, in order of preference. If empty, `main` or `master`, otherwise the branch with the most reports; of several, the one with the newest report',
    }),
    clean_only: z.boolean().default(false).meta({
      description: 'Ignore reports made with local changes or unpushed commits',
    }),
    level_rule: z.enum(['none', 'bands']).default('none').meta({
      description: '`none`, or `bands`: a level from 1 to 5, one for each 20 % of the readiness ratio',
    }),
    criterion_counts: z.boolean().default(false).meta({
      description:
        'Publish the passed and evaluated counts of each criterion in addition to its ratio: two thirds of the series of a small organization',
    }),
  })
  .transform((settings) => ({
    branches: settings.branches,
    cleanOnly: settings.clean_only,
    levelRule: settings.level_rule,
    criterionCounts: settings.criterion_counts,
  }));

/** The limits of label values and series; `labels` are the existing label names. */
function limitsSchema(labels: readonly string[]) {
  const count = wholeNumber(1, MAX_VALUES);
  const names = [...new Set([...Object.keys(VALUES_PER_LABEL), ...labels])];
  const byLabel = z
    .strictObject(Object.fromEntries(names.map((label) => [label, count.optional()])))
    .transform((values) => ({ ...VALUES_PER_LABEL, ...values }));
  const forAll = count.transform((value) => ({ default: value }));
  return z
    .strictObject({
      values_per_label: z
        .union([forAll, section(byLabel)])
        .prefault({})
        .meta({
          standard: '`{default: 200, repo: 5000, user: 20000}`',
          description:
            'Number of values that a label keeps per organization. The largest values are kept and the rest is summed into `other`; labels with a fixed set of values, such as `kind` and `currency`, are left as they are. Either one integer for all labels, or an integer per label name, where `default` applies to labels that are not listed',
        }),
      series: wholeNumber(1, MAX_SERIES).default(SERIES).meta({
        description:
          'Maximum number of series in total. An organization over its share loses whole metric families, the most detailed first',
      }),
    })
    .transform(({ values_per_label, series }) => {
      const limits = new Map(Object.entries(values_per_label));
      const unlisted = limits.get('default') ?? Number.POSITIVE_INFINITY;
      /** Maximum number of values of a label. */
      const valuesPerLabel = (label: string) => limits.get(label) ?? unlisted;
      return { valuesPerLabel, series };
    });
}

/** The keys of the file that are no options. */
export function fileOnly(labels: readonly string[]) {
  return {
    orgs: list(orgSchema).prefault([]),
    limits: section(limitsSchema(labels)).prefault({}),
    readiness: section(readinessSchema).prefault({}),
  };
}

/** The schema of the configuration file: the options that have a key, and the keys that are no options. */
export function fileSchema(options: OptionTable, labels: readonly string[]) {
  return section(z.strictObject({ ...fileOnly(labels), ...shapeOf(options, z.strictObject) }));
}

/** The schema of the options' own part of the configuration file; other keys are ignored. */
export function partialSchema(options: OptionTable) {
  return section(z.object(shapeOf(options, z.object)));
}

function shapeOf(options: OptionTable, object: typeof z.object | typeof z.strictObject) {
  /** The keys of one level: a value, or a mapping of further keys. */
  function level(depth: number, flags: readonly Option[]): Record<string, z.ZodType> {
    const byKey = Map.groupBy(flags, ({ key = [] }) => key[depth] ?? '');
    const members = [...byKey].flatMap(([name, below]) => {
      const schema = options[below.find(({ key = [] }) => key.length === depth + 1)?.flag ?? ''];
      return [[name, schema ?? section(object(level(depth + 1, below))).prefault({})]] as const;
    });
    return Object.fromEntries(members);
  }
  const inFile = optionsIn(options).filter(({ key }) => key !== undefined);
  return level(0, inFile);
}
