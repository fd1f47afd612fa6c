import { split } from '../analytics/tools.ts';
import { type Day, dayAt, dayMs, formatDay, hourMs } from '../calendar.ts';
import { refuse } from '../http/refuse.ts';
import type { Row } from '../types.ts';
import type { PersonDay } from '../world/person-day.ts';
import { mcpServers, skills, type Weighted } from '../world/tool-names.ts';
import { type Call, dayOf, emailOf, existing, isProgram, modelsOf, workOn } from './call.ts';

/** Cents of a credit of the simulated world: an estimate, which is not what is charged. */
const ESTIMATED_PRICE = 0.00066;

/** Terminals, each with the type of its customers. */
const terminals = Object.entries({ vscode: 'api', 'iTerm.app': 'subscription', tmux: 'subscription' });

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
      return part(done.sessions) > 0 ? [claudeCodeRow(call, done, asked, index > 0, part)] : [];
    });
  });
}

function claudeCodeRow({ account }: Call, done: PersonDay, day: Day, is_remote: boolean, part: Part): Row {
  const { person, filesEdited } = done;
  const isKey = isProgram(account, person);
  const user = { type: 'user_actor', email_address: emailOf(person, day) };
  const [terminal_type, customer_type] = terminals[person.index % terminals.length] ?? [];
  const pulls = { pull_requests_by_claude_code: part(done.pullRequests) };
  const counts = { num_sessions: part(done.sessions), commits_by_claude_code: part(done.commits), ...pulls };
  const lines_of_code = { added: part(filesEdited * 17), removed: part(filesEdited * 9) };
  const model_breakdown = modelsOf(done).map(({ model, credits, uncached, output, read, creation }) => {
    const cached = { cache_read: part(read), cache_creation: part(creation) };
    const estimated_cost = { currency: 'USD', amount: part(credits * ESTIMATED_PRICE) };
    return { model, tokens: { input: part(uncached), output: part(output), ...cached }, estimated_cost };
  });
  return {
    date: `${formatDay(day)}T00:00:00Z`,
    actor: isKey ? { type: 'api_actor', api_key_name: `ci-${person.index}` } : user,
    organization_id: account.orgId,
    customer_type,
    terminal_type,
    is_remote,
    subscription_type: customer_type === 'api' ? null : 'team',
    core_metrics: { ...counts, lines_of_code },
    tool_actions: actionsOf(done, '', part),
    model_breakdown,
  };
}

function actionsOf({ filesEdited }: PersonDay, unit: string, part: Part): Row {
  const counts = (all: number) => ({ [`accepted${unit}`]: part(all), [`rejected${unit}`]: part(all / 7) });
  return Object.fromEntries(tools.map(([tool, files]) => [tool, counts(filesEdited / files)]));
}

/** The rows of `summaries`. */
export function summaryRows(call: Call): Row[] {
  const { org } = call.account;
  const start = readyDay(call, 'starting_date');
  const last = call.query.has('ending_date') ? readyDay(call, 'ending_date', 1) : newest(call);
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
    const [starting_at, ending_at] = [day, day + 1].map((one) => `${formatDay(one)}T00:00:00Z`);
    const seated = { starting_at, ending_at, assigned_seat_count: seats, pending_invite_count: 2 };
    return Object.assign(seated, ...counts);
  });
}

/** The rows of `users`, ordered by address. */
export function userRows(call: Call): Row[] {
  const rows = workOn(call.account, readyDay(call)).map((done) => {
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
  return callsOf(call, 'skillCalls', skills).map(([name, count]) => {
    const counts = { distinct_user_count: 1 + (count >> 2), invocation_count: count };
    return { skill_name: name, skill_display_name: null, attributed_list_price: null, ...counts };
  });
}

/** The rows of `connectors`, each in one spelling; their calls were not counted at first. */
export function connectorRows(call: Call): Row[] {
  const servers = mcpServers.filter(([name]) => name === name.toLowerCase());
  const counted = (count: number) => (readyDay(call) * dayMs < Date.UTC(2026, 4, 29) ? null : count);
  return callsOf(call, 'mcpCalls', servers).map(([name, count]) => {
    const [read, write] = [counted(count - (count >> 2)), counted(count >> 2)];
    const calls = { read_call_count: read, write_call_count: write, unclassified_call_count: counted(0) };
    return { connector_name: name, distinct_user_count: 1 + (count >> 3), ...calls };
  });
}

function callsOf(call: Call, figure: 'skillCalls' | 'mcpCalls', things: Weighted<string>) {
  const { totals, conditions } = call.account.org;
  return split(totals(readyDay(call)).sum[figure], things, conditions(readyDay(call)).seed);
}

/** Days are aggregated at 10:00 UTC of the next day. */
function newest({ known }: Call): Day {
  return dayAt(known - 10 * hourMs) - 1;
}

/** The day of a parameter, or so many days before it, which must be aggregated. */
function readyDay(call: Call, name = 'date', before = 0): Day {
  const day = dayOf(call, name) - before;
  if (day * dayMs < Date.UTC(2026, 0)) refuse(400, 'There is no data before 2026-01-01.');
  if (day <= newest(call)) return day;
  return refuse(400, `This date is not available yet; the most recent day is ${formatDay(newest(call))}.`);
}
