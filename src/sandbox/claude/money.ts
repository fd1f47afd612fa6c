import { type Day, dayAt, dayMs, hourMs, parseDay } from '../calendar.ts';
import { apportion, mix, unit } from '../random.ts';
import type { Row } from '../types.ts';
import { creditsOf } from '../world/credits.ts';
import type { Person } from '../world/people.ts';
import {
  beginning,
  type Call,
  claudeModel,
  daysFrom,
  emailOf,
  isLeaving,
  isProgram,
  LEFT,
  Refused,
  workOn,
} from './call.ts';

/** Millionths of a cent, at list price, of a credit of the simulated world. */
const LIST_PRICE = 600;
const DISCOUNTED = 0.88;

const FRESH_AFTER_MS = 4 * hourMs;
const LONGEST = 31;
const REACH = 365;

/** Age in days at which the figures of a day are final. */
const FINAL_AFTER = 30;

const dimensions = [
  'actor',
  'actor_type',
  'agent_id',
  'api_key_id',
  'claude_tag_category',
  'claude_tag_user_id',
  'context_window',
  'deployment_id',
  'environment_id',
  'inference_geo',
  'model',
  'organization_id',
  'product',
  'rbac_group_id',
  'service_tier',
  'session_id',
  'slack_channel_id',
  'speed',
  'user_profile_id',
  'workspace_id',
];

/** A row, and its size that is the usual order. */
interface Sized {
  readonly row: Row;
  readonly size: number;
}

/** The rows of `usage`. */
export function usageRows(call: Call): Row[] {
  return rowsOf(call, [], 'total_tokens', (sum) => {
    const [input, read, creation, output] = [sum('input'), sum('read'), sum('creation'), sum('output')];
    const inAnHour = Math.floor(creation / 4);
    const usage = {
      uncached_input_tokens: input - read - creation,
      cache_read_input_tokens: read,
      cache_creation: {
        ephemeral_5m_input_tokens: creation - inAnHour,
        ephemeral_1h_input_tokens: inAnHour,
      },
      output_tokens: output,
      total_tokens: input + output,
      requests: sum('requests'),
      server_tool_use: { web_search_requests: Math.floor(sum('requests') / 50) },
    };
    return { row: { usage }, size: input + output };
  });
}

/** The rows of `cost`. */
export function costRows(call: Call): Row[] {
  return rowsOf(call, ['cost_type', 'token_type'], 'amount', (sum) => {
    const list = sum('credits', LIST_PRICE);
    const amounts = { amount: cents(list * DISCOUNTED), list_amount: cents(list) };
    return { row: { cost: { ...amounts, currency: 'USD', requests: sum('requests') } }, size: list };
  });
}

/** The instant up to which the figures of a range are known; null if none are. */
export function refreshedAt({ query, known }: Call): Row {
  const at = known - FRESH_AFTER_MS;
  const isKnown = at > Date.parse(query.get('starting_at') ?? '');
  return { data_refreshed_at: isKnown ? instant(at) : null };
}

type Part = ReturnType<typeof partsOn>[number];
type Sum = (name: Exclude<keyof Part, 'model' | 'actor'>, price?: number) => number;

/** A row for each day and for each model and actor, if these are asked for. */
function rowsOf(call: Call, more: readonly string[], size: string, figures: (sum: Sum) => Sized): Row[] {
  const { query } = call;
  const grouping = query.getAll('group_by[]');
  if (grouping.some((name) => name !== 'model' && name !== 'actor'))
    throw new Refused(400, 'group_by[]: this simulated platform groups by model and actor only');
  const [order, by] = [query.get('order') ?? 'desc', query.get('order_by') ?? size];
  if (!/^(asc|desc)$/.test(order) || (by !== size && by !== 'time'))
    throw new Refused(400, `order_by: this simulated platform orders by ${size} and time only`);
  const nothing = Object.fromEntries([...dimensions, ...more].map((name) => [name, null]));
  const rows = askedDays(call).flatMap((day) => {
    const factor = knownShare(call, day) * revision(call, day);
    const groups = Map.groupBy(partsOn(call, day), (part) =>
      JSON.stringify([grouping.includes('model') && part.model, grouping.includes('actor') && part.actor]),
    );
    const bucket = { starting_at: instant(day * dayMs), ending_at: instant((day + 1) * dayMs) };
    return [...groups.values()].flatMap((parts) => {
      const { row, size: found } = figures((name, price = 1) =>
        Math.round(parts.reduce((sum, part) => sum + part[name], 0) * price * factor),
      );
      const group = {
        ...nothing,
        ...Object.fromEntries(grouping.map((name) => [name, parts[0]?.[name as 'model']])),
      };
      return found > 0 ? [{ row: { ...bucket, group, ...row }, size: by === 'time' ? day : found }] : [];
    });
  });
  const sign = order === 'asc' ? 1 : -1;
  return rows.sort((one, other) => sign * (one.size - other.size)).map(({ row }) => row);
}

/** What a day consists of: what people did, and now and then something of nobody, as the execution of code, which has no model. */
function partsOn({ account, now }: Call, day: Day) {
  const { org } = account;
  const people = workOn(account, day).flatMap(
    ({ person, models, cacheRead, cacheWrite, assistantMessages }) => {
      const inputs = models.map(({ input }) => input);
      const [reads, creations, requests] = [cacheRead, cacheWrite, assistantMessages].map((total) =>
        apportion(total, inputs),
      );
      const actor: Row | null = actorOf(person);
      return models.map(({ model, credits, input, output }, index) => ({
        model: claudeModel(model) as string | null,
        actor,
        credits,
        input,
        output,
        read: reads?.[index] ?? 0,
        creation: creations?.[index] ?? 0,
        requests: requests?.[index] ?? 0,
      }));
    },
  );
  const { sum } = org.totals(day);
  const { credits, byModel } = creditsOf(org.totals(day), org.seed, day);
  const [first] = byModel;
  const isModel = byModel.reduce((total, one) => total + one.billable_tokens, 0) === credits;
  const output = isModel ? 1000 : 0;
  const model =
    isModel && first !== undefined ? claudeModel({ id: first.model_id, tier: first.model_tier }) : null;
  const rest = {
    model,
    actor: null,
    credits: credits - sum.credits,
    input: output * 20,
    output,
    read: 0,
    creation: 0,
    requests: 12,
  };
  return rest.credits > 0 ? [...people, rest] : people;

  function actorOf(person: Person): Row {
    if (isProgram(account, person)) return { type: 'api_actor', api_key_id: `apikey_${person.seed}` };
    const deleted = dayAt(now) >= LEFT && isLeaving(account, person);
    const isGone = deleted && person.index % 2 === 1;
    return {
      type: 'user_actor',
      user_id: person.id,
      email_address: isGone ? null : emailOf(person, org.name),
      name: isGone ? 'Deleted User' : person.login,
      deleted,
    };
  }
}

function askedDays(call: Call): Day[] {
  const { query, now } = call;
  if (query.get('time_bucket_width') !== '1d')
    throw new Refused(400, 'time_bucket_width: this simulated platform has buckets of 1d only');
  const [start, end] = [timeOf(query, 'starting_at'), timeOf(query, 'ending_at')];
  if (start > now || dayAt(start) < Math.max(beginning, dayAt(now) - REACH))
    throw new Refused(400, `starting_at: must be within the last ${REACH} days, and not before 2026-01-01`);
  if (end <= start) throw new Refused(400, 'ending_at: must be after starting_at');
  if (end - start > LONGEST * dayMs)
    throw new Refused(400, `ending_at: the range may span at most ${LONGEST} days`);
  return daysFrom(call, dayAt(start), Math.min(dayAt(end - 1), dayAt(call.known)));
}

function timeOf(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '';
  const isTime = /^[\d-]{10}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/.test(text);
  const time = Date.parse(text);
  if (isTime && typeof parseDay(text.slice(0, 10)) === 'number' && !Number.isNaN(time)) return time;
  throw new Refused(400, `${name}: expected a time of RFC 3339 with its zone`);
}

/** The part of a day that is known: figures need four hours. */
function knownShare({ known }: Call, day: Day): number {
  return Math.max(0, Math.min(1, (known - FRESH_AFTER_MS - day * dayMs) / dayMs));
}

/** The factor that revisions will undo, up or down: the last one comes 30 days after the day, and then it is 1. */
function revision({ account, now }: Call, day: Day): number {
  const seed = mix(account.org.seed, day);
  let factor = 1;
  for (let age = FINAL_AFTER; age > Math.max(0, dayAt(now) - day); age -= 1) {
    const isRevised = mix(seed, age) % 8 === 0 || (age === FINAL_AFTER - 1 && seed % 3 === 0);
    if (isRevised) factor += 0.01 * (unit(seed, age + 100) - 0.4);
  }
  return factor;
}

function cents(millionths: number): string {
  return (Math.floor(millionths) / 1e6).toFixed(6);
}

function instant(at: number): string {
  return new Date(at).toISOString().replace('.000', '');
}
