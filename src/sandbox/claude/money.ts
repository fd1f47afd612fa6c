import { type Day, dayAt, dayMs, hourMs } from '../calendar.ts';
import { refuse } from '../http/refuse.ts';
import { mix, unit } from '../random.ts';
import type { Row } from '../types.ts';
import type { Person } from '../world/people.ts';
import { type Call, emailOf, existing, isGone, isProgram, modelsOf, workOn } from './call.ts';

/** Millionths of a cent of a credit of the simulated world. */
const LIST_PRICE = 600;
const PRICE = 528;

const FRESH_AFTER_MS = 4 * hourMs;

/** Age in days at which the figures of a day are final. */
const FINAL_AFTER = 30;

const dimensions =
  'actor actor_type agent_id api_key_id claude_tag_category claude_tag_user_id context_window deployment_id ' +
  'environment_id inference_geo model organization_id product rbac_group_id service_tier session_id ' +
  'slack_channel_id speed user_profile_id workspace_id';

type Figure = Exclude<keyof ReturnType<typeof modelsOf>[number], 'model'>;
type Figures = (sum: (figure: Figure, price?: number) => number) => [size: number, figures: Row];

/** The rows of `usage`. */
export function usageRows(call: Call): Row[] {
  return rowsOf(call, dimensions, (sum) => {
    const [uncached, read, creation, output] = [sum('uncached'), sum('read'), sum('creation'), sum('output')];
    const [total, requests, inAnHour] = [uncached + read + creation + output, sum('requests'), creation >> 2];
    const usage = {
      uncached_input_tokens: uncached,
      cache_read_input_tokens: read,
      cache_creation: { ephemeral_5m_input_tokens: creation - inAnHour, ephemeral_1h_input_tokens: inAnHour },
      output_tokens: output,
      server_tool_use: { web_search_requests: Math.floor(requests / 50) },
    };
    return [total, { usage: { ...usage, total_tokens: total, requests } }];
  });
}

/** The rows of `cost`. */
export function costRows(call: Call): Row[] {
  return rowsOf(call, `${dimensions} cost_type token_type`, (sum) => {
    const cents = (price: number) => (sum('credits', price) / 1e6).toFixed(6);
    const amounts = { amount: cents(PRICE), list_amount: cents(LIST_PRICE), currency: 'USD' };
    return [sum('credits'), { cost: { ...amounts, requests: sum('requests') } }];
  });
}

/** The instant up to which the figures of a range are known; null if none are. */
export function refreshedAt({ query, known }: Call): string | null {
  const at = known - FRESH_AFTER_MS;
  return at > Date.parse(query.get('starting_at') ?? '') ? instant(at) : null;
}

/** A row for each day and for each model and actor, if these are asked for; the largest first, unless ordered by time. */
function rowsOf(call: Call, names: string, figuresOf: Figures): Row[] {
  const asked = call.query.getAll('group_by[]');
  const grouping = (['actor', 'model'] as const).filter((name) => asked.includes(name));
  if (grouping.length < asked.length) refuse(400, 'group_by[]: only actor and model are simulated');
  const order = `${call.query.get('order_by')} ${call.query.get('order')}`;
  if (!/^(null null|time asc)$/.test(order)) refuse(400, 'order_by: only time asc is simulated');
  const nothing = Object.fromEntries(names.split(' ').map((name) => [name, null]));
  const rows = askedDays(call).flatMap((day) => {
    const factor = revision(call, day);
    const bucket = { starting_at: instant(day * dayMs), ending_at: instant((day + 1) * dayMs) };
    const groups = Map.groupBy(partsOn(call, day), (part) =>
      JSON.stringify({ ...nothing, ...Object.fromEntries(grouping.map((name) => [name, part[name]])) }),
    );
    return [...groups].map(([group, parts]) => {
      // Each part is rounded, so that the rows of any grouping have the same sum.
      const [size, figures] = figuresOf((figure, price = 1) =>
        parts.reduce((sum, part) => sum + Math.round(part[figure] * price * factor), 0),
      );
      return { size, row: { ...bucket, group: JSON.parse(group), ...figures } };
    });
  });
  if (order !== 'time asc') rows.sort((one, other) => other.size - one.size);
  return rows.filter(({ size }) => size > 0).map(({ row }) => row);
}

/** What a day consists of: what people did, and on some days the execution of code, which has neither an actor nor a model. */
function partsOn(call: Call, day: Day) {
  const people = workOn(call.account, day).flatMap((done) =>
    modelsOf(done).map((used) => ({ ...used, actor: actorOf(call, done.person) })),
  );
  if (mix(call.account.org.seed, day) % 5 > 0) return people;
  const tokens = { uncached: 0, read: 0, creation: 0, output: 0 };
  return [...people, { model: null, actor: null, credits: 40_000, ...tokens, requests: 12 }];
}

function actorOf({ account, now }: Call, person: Person): Row | null {
  if (isProgram(account, person)) return { type: 'api_actor', api_key_id: `apikey_${person.seed}` };
  const deleted = isGone(account, person, dayAt(now));
  const [name, email] = deleted ? ['Deleted User', null] : [person.login, emailOf(person)];
  return { type: 'user_actor', user_id: person.id, email_address: email, name, deleted };
}

function askedDays(call: Call): Day[] {
  const { query, now, known } = call;
  if (query.get('time_bucket_width') !== '1d') refuse(400, 'time_bucket_width: only 1d is simulated');
  const [start = 0, end = 0] = ['starting_at', 'ending_at'].map((name) => {
    const text = query.get(name) ?? '';
    const isTime = /^[\d-]{10}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/.test(text);
    return isTime ? Date.parse(text) : refuse(400, `${name}: expected a time of RFC 3339 with its zone`);
  });
  if (!(start <= now && start >= Math.max(Date.UTC(2026, 0), (dayAt(now) - 365) * dayMs)))
    refuse(400, 'starting_at: must be within the last 365 days, and not before 2026-01-01');
  if (!(end > start && end - start <= 31 * dayMs))
    refuse(400, 'ending_at: must be after starting_at, by at most 31 days');
  return existing(call, dayAt(start), Math.min(dayAt(end - 1), dayAt(known)));
}

/**
 * The part of a day's figures that is known, after four hours. Revisions let it grow and shrink until 30 days after the
 * day, when it is 1.
 */
function revision({ account, now, known }: Call, day: Day): number {
  const seed = mix(account.org.seed, day);
  let factor = 1;
  for (let age = FINAL_AFTER; age > Math.max(0, dayAt(now) - day); age -= 1) {
    const isRevised = mix(seed, age) % 8 === 0 || (age === FINAL_AFTER - 1 && seed % 3 === 0);
    if (isRevised) factor += 0.01 * (unit(seed, age + 100) - 0.4);
  }
  return factor * Math.max(0, Math.min(1, (known - FRESH_AFTER_MS - day * dayMs) / dayMs));
}

function instant(at: number): string {
  return new Date(at).toISOString().replace('.000', '');
}
