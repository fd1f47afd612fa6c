import * as z from 'zod';
import type { FetchedDays, Window } from '../../catalog/collector.ts';
import { withRejected } from '../../catalog/dataset.ts';
import { addDays, type Day, daysFrom, startOf } from '../../catalog/day.ts';
import type { DayReader } from '../../catalog/platform.ts';
import { IncompleteListing, type Source } from '../../catalog/source.ts';
import { plusUsable, preciseSumOfUsable } from '../../collectors/counts.ts';
import type { ModelTokens, TokensRow } from '../../collectors/tokens/dataset.ts';
import { mergedModels, SOME_MODEL } from '../../collectors/tokens/models.ts';
import { apiContractOf } from '../api-contract.ts';
import { element, elementAmount, instant, rejected, requiredElementAmount, text } from '../fields.ts';
import { salvage } from '../usable-row.ts';
import { dayOfInstant, readListing } from './listing.ts';

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

/** The dimensions by which it is not grouped. */
const DIMENSIONS = [
  ...['actor', 'actor_type', 'agent_id', 'api_key_id', 'claude_tag_category', 'claude_tag_user_id'],
  ...['context_window', 'cost_type', 'deployment_id', 'environment_id', 'inference_geo', 'model'],
  ...['organization_id', 'product', 'rbac_group_id', 'service_tier', 'session_id', 'slack_channel_id'],
  ...['speed', 'token_type', 'user_profile_id', 'workspace_id'],
];

/** The paths of a row that are not read, where it is grouped by one dimension. */
export function unreadOf(grouped: string): readonly string[] {
  const others = DIMENSIONS.filter((name) => name !== grouped);
  return ['ending_at', 'cost.requests', ...others.map((name) => `group.${name}`)];
}

const dated = {
  whenOf: ({ starting_at: at }: Readonly<Record<string, unknown>>) => at,
  dayOf: ({ starting_at: at }: Readonly<Record<string, unknown>>) => String(at).slice(0, 10),
};

const costContract = apiContractOf({ schema: costRow, unread: unreadOf('model'), ...dated });
const usageContract = apiContractOf({
  schema: usageRow,
  unread: [
    ...unreadOf('model'),
    ...['total_tokens', 'requests', 'server_tool_use'].map((name) => `usage.${name}`),
  ],
  ...dated,
});

/** The parts of a stored row that a field of an answer is in. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  cost: ['cost', 'models'],
  usage: ['input', 'output', 'cacheRead', 'cacheWrite', 'models'],
  group: ['models'],
};

/** Rows by day, and what was unusable in them. */
class Rows<Row extends { readonly starting_at: Day }> {
  readonly byDay = new Map<Day, Row[]>();
  readonly faults = new Map<Day, string[]>();
  rejected = 0;
  lost = 0;

  add(schema: z.ZodType<Row>, sent: unknown, { from, to }: Window): void {
    const { row, rejected, members } = salvage(schema, sent);
    this.rejected += rejected;
    if (row === undefined || row.starting_at < from || row.starting_at > to) {
      this.lost += 1;
      return;
    }
    put(this.byDay, row.starting_at, row);
    for (const member of members) put(this.faults, row.starting_at, member);
  }
}

function put<Value>(lists: Map<Day, Value[]>, day: Day, value: Value): void {
  const known = lists.get(day);
  if (known === undefined) lists.set(day, [value]);
  else known.push(value);
}

/** Asks for one of the two listings of use by day; the newest days of it may not be whole yet. */
export async function readByDay<Row extends { readonly starting_at: Day }>(
  source: Source,
  { from, to }: Window,
  asked: {
    readonly endpoint: 'tokens' | 'users';
    readonly of: 'usage' | 'cost';
    readonly by: 'model' | 'actor';
    readonly schema: z.ZodType<Row>;
    readonly contract: ReturnType<typeof apiContractOf>;
  },
) {
  const path = `/v1/organizations/analytics/${asked.of}`;
  const { sum, last, pages, bytes } = await readListing(source, {
    endpoint: asked.endpoint,
    path,
    query: {
      starting_at: midnight(from),
      ending_at: midnight(addDays(to, 1)),
      time_bucket_width: '1d',
      'group_by[]': asked.by,
      order_by: 'time',
      order: 'asc',
    },
    begin: () => new Rows<Row>(),
    add(rows, sent) {
      source.compare?.(asked.contract, sent);
      for (const row of sent) rows.add(asked.schema, row, { from, to });
    },
  });
  // A row without its day can be of any of them.
  if (sum.lost > 0) throw new IncompleteListing(path, 'rows', pages, sum.rejected + sum.lost);
  const { byDay, faults, rejected: unusable } = sum;
  return { byDay, faults, rejected: unusable, bytes, isWhole: wholeUntil(last['data_refreshed_at']) };
}

function midnight(day: Day): string {
  return `${day}T00:00:00Z`;
}

/** Which days are whole in what was exported last: all by default, none where nothing was exported. */
function wholeUntil(refreshedAt: unknown): (day: Day) => boolean {
  if (refreshedAt === undefined) return () => true;
  const { data: until = 0 } = instant.safeParse(refreshedAt);
  return (day) => startOf(addDays(day, 1)) <= until;
}

/** Asks for tokens and cost of a window by day and model. A day that is not whole yet is as good as missing. */
async function fetchDays(source: Source, window: Window): Promise<FetchedDays<TokensRow>> {
  const shape = { endpoint: 'tokens', by: 'model' } as const;
  const usage = await readByDay(source, window, {
    ...{ ...shape, of: 'usage', schema: usageRow, contract: usageContract },
  });
  const costs = await readByDay(source, window, {
    ...{ ...shape, of: 'cost', schema: costRow, contract: costContract },
  });
  const rows = new Map<Day, TokensRow>();
  const unready = new Set<Day>();
  for (const day of daysFrom(window.from, window.to)) {
    const [used, cost] = [usage.byDay.get(day), costs.byDay.get(day)];
    if (!usage.isWhole(day) || !costs.isWhole(day)) unready.add(day);
    else if (used !== undefined || cost !== undefined) {
      const faults = [...(usage.faults.get(day) ?? []), ...(costs.faults.get(day) ?? [])];
      rows.set(
        day,
        withRejected(
          rowOf(used ?? [], cost ?? []),
          faults.flatMap((field) => PARTS[field] ?? []),
        ),
      );
    }
  }
  return {
    ...{ rows, unready, lost: 0, remarks: [] },
    rejected: usage.rejected + costs.rejected,
    bytes: usage.bytes + costs.bytes,
  };
}

/** What has no model is in the sums alone. */
function rowOf(
  used: readonly z.output<typeof usageRow>[],
  costs: readonly z.output<typeof costRow>[],
): TokensRow {
  const tokens = used.map(({ group: { model }, usage }) => ({ model, ...tokensOf(usage) }));
  const sumOf = (name: 'input' | 'output' | 'cacheRead' | 'cacheWrite') =>
    preciseSumOfUsable(tokens.map(({ [name]: amount }) => amount));
  return {
    cost: dollarsOf(costs.map(({ cost }) => cost.amount)),
    listCost: dollarsOf(costs.map(({ cost: { list = null } }) => list)),
    tokens: {
      input: sumOf('input'),
      output: sumOf('output'),
      cacheRead: sumOf('cacheRead'),
      cacheWrite: sumOf('cacheWrite'),
    },
    byModel: mergedModels([
      ...tokens.flatMap(({ model, input, output }) => ofModel(model, { input, output })),
      ...costs.flatMap(({ group: { model }, cost }) =>
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

/** The sum of amounts in cents, in dollars; undefined if one of them is unusable. */
export function dollarsOf(cents: readonly (number | null)[]): number | undefined {
  return preciseSumOfUsable(cents.map((amount) => amount && inDollars(amount)));
}

/** A decimal keeps its digits: a division by 100 may change the last one. */
function inDollars(cents: number): number {
  const shifted = Number(`${cents}e-2`);
  return Number.isNaN(shifted) ? cents / 100 : shifted;
}
