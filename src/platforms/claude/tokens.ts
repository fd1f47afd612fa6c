import * as z from 'zod';
import type { FetchedDays, Window } from '../../catalog/collector.ts';
import { withRejected } from '../../catalog/dataset.ts';
import { addDays, type Day, daysFrom, type Instant, startOf } from '../../catalog/day.ts';
import type { DayReader } from '../../catalog/platform.ts';
import type { Source } from '../../catalog/source.ts';
import { plusUsable, preciseSumOfUsable } from '../../collectors/counts.ts';
import type { ModelTokens, TokensRow } from '../../collectors/tokens/dataset.ts';
import { mergedModels, SOME_MODEL } from '../../collectors/tokens/models.ts';
import { apiContractOf } from '../api-contract.ts';
import { element, elementAmount, rejected, requiredElementAmount, text } from '../fields.ts';
import { datedBy, dayOfInstant, type Listing, readListing } from './listing.ts';

export const reader: DayReader<TokensRow> = { fetchDays };

/** Null if it is unusable, undefined if the use is that of no model. */
const group = element({ model: z.union([text, rejected]) });

/** An amount in cents, which is usable in one currency alone. */
export const money = element({
  amount: requiredElementAmount,
  list_amount: elementAmount,
  currency: z.union([z.literal('USD'), rejected]),
}).transform(({ amount, list_amount: list, currency }) =>
  currency === null ? { amount: null, list: null } : { amount, list },
);

const costRow = z.compile(z.object({ starting_at: dayOfInstant, group, cost: money }));

const usageRow = z.compile(
  z.object({
    starting_at: dayOfInstant,
    group,
    usage: element({
      uncached_input_tokens: requiredElementAmount,
      cache_read_input_tokens: requiredElementAmount,
      cache_creation: element({
        ephemeral_5m_input_tokens: requiredElementAmount,
        ephemeral_1h_input_tokens: requiredElementAmount,
      }),
      output_tokens: requiredElementAmount,
    }),
  }),
);

/** The dimensions of a row, which is grouped by one of them. */
const DIMENSIONS = [
  ...['actor', 'actor_type', 'agent_id', 'api_key_id', 'claude_tag_category', 'claude_tag_user_id'],
  ...['context_window', 'cost_type', 'deployment_id', 'environment_id', 'inference_geo', 'model'],
  ...['organization_id', 'product', 'rbac_group_id', 'service_tier', 'session_id', 'slack_channel_id'],
  ...['speed', 'token_type', 'user_profile_id', 'workspace_id'],
];

type Dimension = 'model' | 'actor';

/** The contract of rows by day and one dimension, with other paths that are not read. */
export function dimensionContract(
  schema: z.ZodType,
  by: Dimension,
  { unread, optional }: { readonly unread: readonly string[]; readonly optional?: readonly string[] },
) {
  const others = DIMENSIONS.filter((name) => name !== by).map((name) => `group.${name}`);
  return apiContractOf({
    schema,
    unread: ['ending_at', ...others, ...unread],
    ...(optional && { optional }),
    ...datedBy('starting_at'),
  });
}

const costContract = dimensionContract(costRow, 'model', { unread: ['cost.requests'] });
const usageContract = dimensionContract(usageRow, 'model', {
  unread: ['total_tokens', 'requests', 'server_tool_use'].map((name) => `usage.${name}`),
});

interface Dated {
  readonly starting_at: Day;
}

interface Fault {
  readonly day: Day;
  readonly member: string;
}

/** Reads one of the two listings by day and one dimension; the newest days of it may not be whole yet. */
export async function readByDay<Row extends Dated>(
  source: Source,
  { from, to }: Window,
  {
    of,
    by,
    ...asked
  }: Pick<Listing<Row, never>, 'endpoint' | 'schema' | 'contract'> & {
    readonly of: 'usage' | 'cost';
    readonly by: Dimension;
  },
) {
  const { sum, refreshedAt, ...read } = await readListing(source, {
    ...asked,
    path: `/v1/organizations/analytics/${of}`,
    query: {
      starting_at: midnight(from),
      ending_at: midnight(addDays(to, 1)),
      time_bucket_width: '1d',
      'group_by[]': by,
      order_by: 'time',
      order: 'asc',
    },
    begin: () => ({ rows: [] as Row[], faults: [] as Fault[] }),
    add({ rows, faults }, row, members) {
      const { starting_at: day } = row;
      rows.push(row);
      faults.push(...members.map((member) => ({ day, member })));
      return day >= from && day <= to;
    },
  });
  const [byDay, faults] = [
    Map.groupBy(sum.rows, ({ starting_at: day }) => day),
    Map.groupBy(sum.faults, ({ day }) => day),
  ];
  return {
    ...read,
    rowsOf: (day: Day) => byDay.get(day) ?? [],
    faultsOf: (day: Day) => (faults.get(day) ?? []).map(({ member }) => member),
    isWhole: wholeUntil(refreshedAt),
  };
}

function midnight(day: Day): string {
  return `${day}T00:00:00Z`;
}

/** Which days are whole in what was exported last, none where nothing was exported; undefined if it does not say. */
function wholeUntil(refreshedAt: Instant | null | undefined): (day: Day) => boolean | undefined {
  if (refreshedAt === undefined) return () => undefined;
  return (day) => refreshedAt !== null && startOf(addDays(day, 1)) <= refreshedAt;
}

/** The parts of a stored row that a field of an answer is in. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  cost: ['cost', 'models'],
  usage: ['input', 'output', 'cacheRead', 'cacheWrite', 'models'],
  group: ['models'],
};

/**
 * Asks for tokens and cost of a window by day and model. A day that is not whole yet is as good as missing, and one that is whole
 * has a row also without use.
 */
async function fetchDays(source: Source, window: Window): Promise<FetchedDays<TokensRow>> {
  const by = { endpoint: 'tokens', by: 'model' } as const;
  const usage = await readByDay(source, window, {
    ...by,
    of: 'usage',
    schema: usageRow,
    contract: usageContract,
  });
  const cost = await readByDay(source, window, {
    ...by,
    of: 'cost',
    schema: costRow,
    contract: costContract,
  });
  const rows = new Map<Day, TokensRow>();
  const unready = new Set<Day>();
  for (const day of daysFrom(window.from, window.to)) {
    const [used, charged] = [usage.rowsOf(day), cost.rowsOf(day)];
    const faults = [...usage.faultsOf(day), ...cost.faultsOf(day)].flatMap((field) => PARTS[field] ?? []);
    const whole = [usage.isWhole(day), cost.isWhole(day)];
    if (whole.includes(false)) unready.add(day);
    else if (used.length + charged.length > 0 || !whole.includes(undefined))
      rows.set(day, withRejected(rowOf(used, charged), faults));
  }
  const rejected = usage.rejected + cost.rejected;
  return { rows, unready, rejected, lost: 0, bytes: usage.bytes + cost.bytes, remarks: [] };
}

/** What has no model is in the sums alone. */
function rowOf(
  used: readonly z.output<typeof usageRow>[],
  charged: readonly z.output<typeof costRow>[],
): TokensRow {
  const tokens = used.map(({ group: { model }, usage }) => ({ model, ...tokensOf(usage) }));
  const sumOf = (name: 'input' | 'output' | 'cacheRead' | 'cacheWrite') =>
    preciseSumOfUsable(tokens.map(({ [name]: amount }) => amount));
  return {
    cost: dollarsOf(charged.map(({ cost }) => cost.amount)),
    listCost: dollarsOf(charged.map(({ cost: { list = null } }) => list)),
    tokens: {
      input: sumOf('input'),
      output: sumOf('output'),
      cacheRead: sumOf('cacheRead'),
      cacheWrite: sumOf('cacheWrite'),
    },
    byModel: mergedModels([
      ...tokens.flatMap(({ model, input, output }) => ofModel(model, { input, output })),
      ...charged.flatMap(({ group: { model }, cost }) =>
        ofModel(model, { cost: dollarsOf([cost.amount]) ?? null }),
      ),
    ]),
  };
}

function ofModel(
  model: string | null | undefined,
  amounts: Omit<ModelTokens, 'model'>,
): readonly ModelTokens[] {
  if (model === undefined) return [];
  return model === null ? [{ ...SOME_MODEL, credits: undefined, cost: null }] : [{ model, ...amounts }];
}

/** Cached tokens count as input, too. */
function tokensOf(usage: z.output<typeof usageRow>['usage']) {
  const { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long } = usage.cache_creation;
  const [cacheRead, cacheWrite] = [usage.cache_read_input_tokens, plusUsable(short, long)];
  const input = plusUsable(usage.uncached_input_tokens, plusUsable(cacheRead, cacheWrite));
  return { input, output: usage.output_tokens, cacheRead, cacheWrite };
}

/** The sum of amounts in cents, in dollars; undefined if one of them is unusable. To 15 digits, decimals add up exactly. */
export function dollarsOf(cents: readonly (number | null)[]): number | undefined {
  const sum = preciseSumOfUsable(cents);
  return sum === undefined ? undefined : Number((sum / 100).toPrecision(15));
}
