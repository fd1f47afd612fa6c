import { type Day, dayAt, dayMs, formatDay, hourMs } from '../calendar.ts';
import { apportion } from '../random.ts';
import type { Row } from '../types.ts';
import type { PersonDay } from '../world/person-day.ts';
import { mcpServers, skills, type Weighted, weightsOn } from '../world/tool-names.ts';
import { type Call, dayOf, emailOf, existing, isProgram, modelsOf, refuse, workOn } from './call.ts';

/** Cents of a credit of the simulated world: an estimate, which is not what is charged. */
const ESTIMATED_PRICE = 0.00066;

/** The first day on which calls of connectors are counted. */
const COUNTED: Day = Date.UTC(2026, 4, 29) / dayMs;

const terminals = ['vscode', 'iTerm.app', 'tmux', 'Apple_Terminal'];

/** Files edited for each suggestion of a tool. */
const tools = Object.entries({ edit_tool: 1, multi_edit_tool: 4, write_tool: 6, notebook_edit_tool: 30 });

/** The part of a person's figures that is in a row. */
type Part = (total: number) => number;

/** The rows of the report on Claude Code, of which what is younger than an hour is missing. */
export function claudeCodeRows(call: Call): Row[] {
  const asked = dayOf(call, 'starting_at');
  const share = Math.min(1, (call.known - hourMs - asked * dayMs) / dayMs);
  const work = existing(call, asked, asked).flatMap((day) => workOn(call.account, day));
  return work.flatMap((done) => {
    // What some people do remotely has a row of its own.
    const places = done.person.web > 0.1 && done.sessions > 1 ? [0.5, 0.5] : [1];
    return places.flatMap((place, index) => {
      const part: Part = (total) => Math.floor(total * place * share);
      return part(done.sessions) > 0 ? [claudeCodeRow(call, done, startOf(asked), index > 0, part)] : [];
    });
  });
}

function claudeCodeRow({ account }: Call, done: PersonDay, date: string, isRemote: boolean, part: Part): Row {
  const { person, filesEdited } = done;
  const day = Date.parse(date) / dayMs;
  const user = { type: 'user_actor', email_address: emailOf(person, day) };
  const key = { type: 'api_actor', api_key_name: `ci-${person.index}` };
  const isPlan = !isProgram(account, person) && person.index % 3 > 0;
  const plan = { customer_type: isPlan ? 'subscription' : 'api', subscription_type: isPlan ? 'team' : null };
  const lines = { added: part(filesEdited * 17), removed: part(filesEdited * 9) };
  const commits = { commits_by_claude_code: part(done.commits) };
  const models = modelsOf(done).map(({ model, credits, uncached, output, read, creation }) => {
    const tokens = { input: part(uncached), output: part(output), cache_read: part(read) };
    const estimate = { currency: 'USD', amount: part(credits * ESTIMATED_PRICE) };
    return { model, tokens: { ...tokens, cache_creation: part(creation) }, estimated_cost: estimate };
  });
  return {
    date,
    actor: isProgram(account, person) ? key : user,
    organization_id: account.orgId,
    ...plan,
    is_remote: isRemote,
    terminal_type: terminals[person.index % terminals.length],
    core_metrics: {
      ...commits,
      num_sessions: part(done.sessions),
      lines_of_code: lines,
      pull_requests_by_claude_code: part(done.pullRequests),
    },
    tool_actions: actionsOf(done, '', part),
    model_breakdown: models,
  };
}

function actionsOf({ filesEdited }: PersonDay, unit: string, part: Part): Row {
  const counts = (all: number) => ({ [`accepted${unit}`]: part(all), [`rejected${unit}`]: part(all / 7) });
  return Object.fromEntries(tools.map(([tool, files]) => [tool, counts(filesEdited / files)]));
}

/** The rows of `summaries`. */
export function summaryRows(call: Call): Row[] {
  const { org } = call.account;
  const start = readyDay(call, dayOf(call, 'starting_date'));
  const last = call.query.has('ending_date') ? readyDay(call, dayOf(call, 'ending_date') - 1) : newest(call);
  if (last < start || last - start > 365) refuse(400, 'ending_date: must be at most 366 days later');
  return existing(call, start, last).map((day) => {
    const seats = org.people.filter(({ joined }) => joined <= day).length;
    const counts = Object.entries({ daily: 1, weekly: 7, monthly: 30 }).map(([span, length]) => {
      const coding = org.activeWithin(day, length);
      const active = Math.min(seats, coding + 1);
      return {
        [`${span}_active_user_count`]: active,
        [`${span}_adoption_rate`]: (100 * active) / Math.max(1, seats),
        [`claude_code_${span}_active_user_count`]: coding,
      };
    });
    const bucket = { starting_at: startOf(day), ending_at: startOf(day + 1) };
    return Object.assign(bucket, ...counts, { assigned_seat_count: seats, pending_invite_count: 2 });
  });
}

/** The rows of `users`, ordered by address. */
export function userRows(call: Call): Row[] {
  const rows = workOn(call.account, askedDay(call)).map((done) => {
    const { person, filesEdited, sessions, commits, pullRequests } = done;
    const lines_of_code = { added_count: filesEdited * 17, removed_count: filesEdited * 9 };
    const counts = { commit_count: commits, pull_request_count: pullRequests, artifacts_created_count: 0 };
    const core_metrics = { ...counts, lines_of_code, distinct_session_count: sessions };
    return {
      user: { id: person.id, email_address: emailOf(person), type: 'user' },
      claude_code_metrics: { core_metrics, tool_actions: actionsOf(done, '_count', Math.floor) },
      chat_metrics: { message_count: done.userMessages, distinct_conversation_count: sessions },
      web_search_count: 0,
    };
  });
  return rows.sort(({ user: one }, { user: other }) => (one.email_address < other.email_address ? -1 : 1));
}

/** The rows of `skills`. */
export function skillRows(call: Call): Row[] {
  return callsOf(call, 'skillCalls', skills).map(([skill_name, invocation_count]) => {
    const nothing = { skill_display_name: null, enable_count: null, attributed_list_price: null };
    return { skill_name, ...nothing, distinct_user_count: 1 + (invocation_count >> 2), invocation_count };
  });
}

/** The rows of `connectors`, each in one spelling. */
export function connectorRows(call: Call): Row[] {
  const servers = mcpServers.filter(([name]) => name === name.toLowerCase());
  const counted = (count: number) => (askedDay(call) < COUNTED ? null : count);
  return callsOf(call, 'mcpCalls', servers).map(([connector_name, calls]) => ({
    connector_name,
    distinct_user_count: 1 + (calls >> 3),
    read_call_count: counted(calls - (calls >> 2)),
    write_call_count: counted(calls >> 2),
    unclassified_call_count: counted(0),
  }));
}

function callsOf(call: Call, figure: 'skillCalls' | 'mcpCalls', things: Weighted<string>) {
  const [day, { org }] = [askedDay(call), call.account];
  const counts = apportion(org.totals(day).sum[figure], weightsOn(things, org.conditions(day).seed));
  return things.map(([name], index) => [name, counts[index] ?? 0] as const).filter(([, count]) => count > 0);
}

function askedDay(call: Call): Day {
  return readyDay(call, dayOf(call, 'date'));
}

/** Days are aggregated at 10:00 UTC of the next day. */
function newest({ known }: Call): Day {
  return dayAt(known - 10 * hourMs) - 1;
}

/** The day, which must be aggregated. */
function readyDay(call: Call, day: Day): Day {
  if (day * dayMs < Date.UTC(2026, 0)) refuse(400, 'There is no data before 2026-01-01.');
  if (day <= newest(call)) return day;
  return refuse(400, `This date is not available yet; the most recent day is ${formatDay(newest(call))}.`);
}

function startOf(day: Day): string {
  return `${formatDay(day)}T00:00:00Z`;
}
