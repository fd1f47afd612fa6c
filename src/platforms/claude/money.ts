import * as z from 'zod';
import type { DayReader, FetchedDays, Window } from '../../catalog/collector.ts';
import { type DatasetName, withRejected } from '../../catalog/dataset.ts';
import { addDays, type Day, daysFrom, endOf } from '../../catalog/day.ts';
import type { Source } from '../../catalog/source.ts';
import { plusUsable, preciseSumOfUsable } from '../../collectors/counts.ts';
import type { ModelTokens, TokensRow } from '../../collectors/tokens/dataset.ts';
import { mergedModels, SOME_MODEL } from '../../collectors/tokens/models.ts';
import { addressOf, element, elementAmount, rejected, requiredElementAmount, text } from '../fields.ts';
import { statusOf } from '../shared.ts';
import { isWithoutUse } from './advice.ts';
import { dayOfInstant, type Known, type Listing, listingOf, readListing } from './listing.ts';

/** Null if it is unusable, undefined if the use is that of no model. */
const group = element({ model: z.union([text, rejected]) });

/** Keys, accounts of services and identities of other providers are actors, too, and no people. */
const actor = z
  .object({ type: text, user_id: text, email_address: text })
  .transform(({ type, user_id: id, email_address: email }) =>
    type === 'user_actor' ? ((email && addressOf(email)) ?? id) : undefined,
  );

/** An amount in cents, which is usable in one currency alone. */
const cost = element({
  amount: requiredElementAmount,
  list_amount: elementAmount,
  currency: z.union([z.literal('USD'), rejected]),
}).transform(({ amount, list_amount: list, currency }) =>
  currency === null ? { amount: null, list: null } : { amount, list },
);

/** Cached tokens count as input, too. */
const usage = element({
  uncached_input_tokens: requiredElementAmount,
  cache_read_input_tokens: requiredElementAmount,
  cache_creation: element({
    ephemeral_5m_input_tokens: requiredElementAmount,
    ephemeral_1h_input_tokens: requiredElementAmount,
  }),
  output_tokens: requiredElementAmount,
}).transform(({ cache_read_input_tokens: cacheRead, cache_creation: created, ...sent }) => {
  const cacheWrite = plusUsable(created.ephemeral_5m_input_tokens, created.ephemeral_1h_input_tokens);
  const input = plusUsable(sent.uncached_input_tokens, plusUsable(cacheRead, cacheWrite));
  return { input, output: sent.output_tokens, cacheRead, cacheWrite };
});

/** The dimensions of a row, which is grouped by one of them. */
const DIMENSIONS =
  'actor actor_type agent_id api_key_id claude_tag_category claude_tag_user_id context_window cost_type ' +
  'deployment_id environment_id inference_geo model organization_id product rbac_group_id service_tier ' +
  'session_id slack_channel_id speed token_type user_profile_id workspace_id';

interface Dated {
  readonly starting_at: Day;
}

/** Declares the listing of usage or cost by day and one dimension. */
function byDimension<Row extends Dated>(
  [of, by]: readonly ['usage' | 'cost', 'model' | 'actor'],
  schema: z.ZodType<Row>,
  known: Known,
) {
  const others = DIMENSIONS.split(' ').filter((name) => name !== by);
  const unread = `ending_at group.{${others.join()}} ${known.unread}`;
  return { by, listing: listingOf(`analytics/${of}`, schema, { ...known, unread, dated: 'starting_at' }) };
}

const USAGE = byDimension(['usage', 'model'], z.object({ starting_at: dayOfInstant, group, usage }), {
  unread: 'usage.{total_tokens,requests,server_tool_use}',
});

const COST = byDimension(['cost', 'model'], z.object({ starting_at: dayOfInstant, group, cost }), {
  unread: 'cost.requests',
});

const COST_BY_PERSON = byDimension(
  ['cost', 'actor'],
  z.object({
    starting_at: dayOfInstant,
    group: z.object({ actor: actor.nullish() }).transform((of) => of.actor ?? undefined),
    cost,
  }),
  {
    unread: 'cost.requests group.actor.{name,deleted,service_account_id,api_key_id,provider,subject}',
    optional: 'group.actor.{user_id,email_address}',
  },
);

/** Reads a listing by day and one dimension; the newest days of it may not be whole yet. */
async function readByDay<Row extends Dated>(
  source: Source,
  endpoint: DatasetName,
  { from, to }: Window,
  { by, listing }: { readonly by: string; readonly listing: Listing<Row> },
) {
  const { rows, refreshedAt, ...read } = await readListing(source, listing, {
    endpoint,
    query: {
      starting_at: midnight(from),
      ending_at: midnight(addDays(to, 1)),
      time_bucket_width: '1d',
      'group_by[]': by,
      order_by: 'time',
      order: 'asc',
    },
    isAsked: ({ starting_at: day }) => day >= from && day <= to,
  });
  const byDay = Map.groupBy(rows, ({ row }) => row.starting_at);
  return {
    ...read,
    rowsOf: (day: Day) => (byDay.get(day) ?? []).map(({ row }) => row),
    faultsOf: (day: Day) => (byDay.get(day) ?? []).flatMap(({ faults }) => faults),
    /** Whether a day is whole in what was exported last, as none is where nothing was; undefined if that is not said. */
    isWhole(day: Day): boolean | undefined {
      return refreshedAt === undefined ? undefined : refreshedAt !== null && endOf(day) <= refreshedAt;
    },
  };
}

function midnight(day: Day): string {
  return `${day}T00:00:00Z`;
}

const KINDS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

/** The parts of a stored row that a field of an answer is in. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  cost: ['cost', 'models'],
  usage: [...KINDS, 'models'],
  group: ['models'],
};

/**
 * Asks for tokens and cost of a window by day and model. A day that is not whole yet is as good as missing, and one that is whole
 * has a row also without use.
 */
export const reader: DayReader<TokensRow> = {
  async fetchDays(source, window): Promise<FetchedDays<TokensRow>> {
    const usage = await readByDay(source, 'tokens', window, USAGE);
    const cost = await readByDay(source, 'tokens', window, COST);
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
  },
};

type RowOf<Report> = Report extends { readonly listing: Listing<infer Row> } ? Row : never;

/** What has no model is in the sums alone. */
function rowOf(used: readonly RowOf<typeof USAGE>[], charged: readonly RowOf<typeof COST>[]): TokensRow {
  const sums = KINDS.map((kind) => [kind, preciseSumOfUsable(used.map(({ usage }) => usage[kind]))]);
  return {
    cost: dollarsOf(charged.map(({ cost }) => cost.amount)),
    listCost: dollarsOf(charged.map(({ cost: { list = null } }) => list)),
    tokens: Object.fromEntries(sums),
    byModel: mergedModels([
      ...used.flatMap(({ group, usage: { input, output } }) => ofModel(group, { input, output })),
      ...charged.flatMap(({ group, cost: { amount, list = null } }) =>
        ofModel(group, { cost: dollarsOf([amount]) ?? null, listCost: dollarsOf([list]) ?? null }),
      ),
    ]),
  };
}

function ofModel(
  { model }: z.output<typeof group>,
  amounts: Omit<ModelTokens, 'model'>,
): readonly ModelTokens[] {
  if (model === undefined) return [];
  return model === null
    ? [{ ...SOME_MODEL, credits: undefined, cost: null, listCost: null }]
    : [{ model, ...amounts }];
}

/** The sum of amounts in cents, in dollars; undefined if one of them is unusable. To 15 digits, decimals add up exactly. */
function dollarsOf(cents: readonly (number | null)[]): number | undefined {
  const sum = preciseSumOfUsable(cents);
  return sum === undefined ? undefined : Number((sum / 100).toPrecision(15));
}

/** Whether the organization does not have this report: the cost of people is unknown then, and nothing else. */
function isDeclined(thrown: unknown): boolean {
  const status = statusOf(thrown);
  return status === 403 || isWithoutUse(status, String(thrown));
}

/** The cost of a day in USD by person, by e-mail address in lower case, else by identifier; null where it is unusable. */
export async function costByPerson(source: Source, day: Day) {
  const byPerson = new Map<string, number | null>();
  const window = { from: day, to: day };
  const read = await readByDay(source, 'users', window, COST_BY_PERSON).catch((thrown: unknown) => {
    if (!isDeclined(thrown)) throw thrown;
  });
  if (read === undefined) return { byPerson, otherwise: undefined, isWhole: true, rejected: 0, bytes: 0 };
  const { rejected, bytes } = read;
  for (const [person, rows] of Map.groupBy(read.rowsOf(day), ({ group }) => group)) {
    if (person === undefined) continue;
    byPerson.set(person, dollarsOf(rows.map(({ cost }) => cost.amount)) ?? null);
  }
  return { byPerson, otherwise: 0, isWhole: read.isWhole(day) !== false, rejected, bytes };
}
