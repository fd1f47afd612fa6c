import * as z from 'zod';
import { parseDay } from '../catalog/day.ts';
import type { Contract, CreditPrice, ReadinessSettings } from '../catalog/settings.ts';
import { defaultSeries, defaultValuesPerLabel } from './file-keys.ts';
import { defaultLimits, defaultReadiness, type Limits, limitsOf } from './limits.ts';
import { isOrgName, orgNameRule, parseUrl, quoted } from './parse.ts';
import { list, positiveNumber, section, text, validated, wholeNumber } from './validate.ts';
import { childrenOf, type YamlNode } from './yaml-node.ts';

/** An organization in the file, with exactly one source of its key. */
export interface OrgEntry {
  readonly node: YamlNode;
  readonly name: string;
  readonly baseUrl: string;
  readonly appUrl: string;
  readonly key: { readonly file: string } | { readonly variable: string };
  readonly orgId: string | undefined;
  readonly contract: Contract | undefined;
}

const MAX_SEATS = 10_000_000;
/** Above this, numbers of credits are not exact. */
export const MAX_CREDITS = Number.MAX_SAFE_INTEGER;
const MAX_PRICE = 1_000_000_000;
const MAX_VALUES = 10_000_000;
const MAX_SERIES = 100_000_000;

const url = text().transform((value, context) => {
  const parsed = parseUrl(value);
  if ('value' in parsed) return parsed.value;
  context.addIssue(parsed.problem);
  return z.NEVER;
});

const price = z
  .strictObject({
    from: text().transform((value, context) => {
      const day = parseDay(value);
      if (day !== undefined) return day;
      context.addIssue(`${quoted(value)} is not a day in the form YYYY-MM-DD`);
      return z.NEVER;
    }),
    currency: text().regex(/^[A-Z]{3}$/, {
      error: ({ input }) =>
        `${quoted(String(input))} is not a currency of three capital letters, such as USD`,
    }),
    per_million_credits: positiveNumber(MAX_PRICE),
  })
  .transform(
    (entry): CreditPrice => ({
      from: entry.from,
      currency: entry.currency,
      perMillionCredits: entry.per_million_credits,
    }),
  );

const prices = list(price).transform((entries, context): readonly CreditPrice[] => {
  for (const [index, { from }] of entries.entries()) {
    if (entries.findIndex((other) => other.from === from) < index) {
      const message = `the price from ${from} on is given twice`;
      context.addIssue({ code: 'custom', path: [index], message });
    }
  }
  return entries.toSorted((a, b) => (a.from < b.from ? -1 : 1));
});

export const orgSchema = z
  .strictObject({
    name: text().refine(isOrgName, {
      error: ({ input }) => `${quoted(String(input))} is not ${orgNameRule}`,
    }),
    base_url: url,
    app_url: url.optional(),
    api_key_file: text().optional(),
    api_key_env: text()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'is not the name of an environment variable' })
      .optional(),
    org_id: text().trim().optional(),
    seats: wholeNumber(1, MAX_SEATS).optional(),
    budget: z.strictObject({ credits_per_month: positiveNumber(MAX_CREDITS) }).optional(),
    prices: prices.optional(),
  })
  .superRefine(({ api_key_file: file, api_key_env: variable }, context) => {
    if ((file === undefined) !== (variable === undefined)) return;
    context.addIssue(`needs ${file === undefined ? 'an' : 'only one of'} api_key_file or api_key_env`);
  });

export const readinessSchema = z.strictObject({
  branches: list(text()).default([...defaultReadiness.branches]),
  clean_only: z.boolean().default(defaultReadiness.cleanOnly),
  level_rule: z.enum(['none', 'bands']).default(defaultReadiness.levelRule),
  criterion_counts: z.boolean().default(defaultReadiness.criterionCounts),
});

/** A top-level section of the file, undefined if it is missing. */
export function sectionOf(root: YamlNode, key: string): YamlNode | undefined {
  const entry = root.tree.kind === 'mapping' ? root.tree.entries.get(key) : undefined;
  return entry === undefined ? undefined : { ...root, path: key, ...entry };
}

/** Reads the list `orgs`. */
export function readOrgs(node: YamlNode | undefined): readonly OrgEntry[] {
  if (node === undefined) return [];
  const entries = validated(list(orgSchema), node);
  const nodes = childrenOf(node);
  return entries.map((entry, index) => ({
    node: nodes[index] ?? node,
    name: entry.name,
    baseUrl: entry.base_url,
    appUrl: entry.app_url ?? entry.base_url,
    key:
      entry.api_key_env === undefined ? { file: entry.api_key_file ?? '' } : { variable: entry.api_key_env },
    orgId: entry.org_id,
    contract: contractOf(entry),
  }));
}

/** Undefined if the organization has none of these keys. */
function contractOf({ seats, budget, prices }: z.output<typeof orgSchema>): Contract | undefined {
  if (seats === undefined && budget === undefined && prices === undefined) return undefined;
  return { seats, creditsPerMonth: budget?.credits_per_month, prices: prices ?? [] };
}

/** Reads `limits`; `labels` are the existing label names. */
export function readLimits(node: YamlNode | undefined, labels: ReadonlySet<string>): Limits {
  if (node === undefined) return defaultLimits;
  const known = [...new Set([...defaultValuesPerLabel.keys(), ...labels])];
  const count = wholeNumber(1, MAX_VALUES);
  const byLabel = z
    .strictObject(Object.fromEntries(known.map((label) => [label, count.optional()])))
    .transform((values) => new Map([...defaultValuesPerLabel, ...Object.entries(values)]));
  const forAll = count.transform((value) => new Map([['default', value]]));
  const isNumber =
    node.tree.kind === 'mapping' && node.tree.entries.get('values_per_label')?.tree.kind === 'number';
  const schema = section(
    z.strictObject({
      values_per_label: (isNumber ? forAll : section(byLabel)).optional(),
      series: wholeNumber(1, MAX_SERIES).default(defaultSeries),
    }),
  );
  const { values_per_label: values = defaultValuesPerLabel, series } = validated(schema, node);
  return limitsOf(values, series);
}

/** Reads `readiness`. */
export function readReadiness(node: YamlNode | undefined): ReadinessSettings {
  if (node === undefined) return defaultReadiness;
  const settings = validated(section(readinessSchema), node);
  return {
    branches: settings.branches,
    cleanOnly: settings.clean_only,
    levelRule: settings.level_rule,
    criterionCounts: settings.criterion_counts,
  };
}
