import { type Day, formatDay } from '../calendar.ts';
import { apportion, ratio, round } from '../random.ts';
import type { Row } from '../types.ts';
import type { Org } from '../world/org.ts';
import {
  artifactOn,
  builtInTools,
  hooks,
  mcpServers,
  mcpTools,
  skills,
  slashCommands,
  type Weighted,
  weightsOn,
} from '../world/tool-names.ts';
import type { Totals } from '../world/totals.ts';

/** A day record of `/tools`. */
export function toolsRow(org: Org, day: Day): Row {
  const totals = org.totals(day);
  const { sum, users, autonomy } = totals;
  const { seed } = org.conditions(day);
  return {
    date: formatDay(day),
    tool_calls: sum.toolCalls,
    by_tool: callsByTool(org, day).map(([tool, invocations]) => ({ tool, invocations })),
    mcp_users_with_mcp: users.mcp,
    mcp_by_server: split(sum.mcpCalls, mcpServers, seed).map(([server, invocations]) => ({
      server,
      invocations,
    })),
    skills_invocations: sum.skillCalls,
    skills_by_name: split(sum.skillCalls, skills, seed).map(([name, count]) => ({ name, count })),
    slash_commands_invocations: sum.slashCommands,
    slash_commands_by_name: split(sum.slashCommands, slashCommands, seed).map(([name, count]) => ({
      name,
      count,
    })),
    hooks_invocations: sum.hooks,
    hooks_by_event: split(sum.hooks, hooks, seed).map(([hook, count]) => ({ ...hook, count })),
    web_users: users.web,
    autonomy_ratio_avg: ratio(
      autonomy.reduce((subtotal, one) => subtotal + one, 0),
      autonomy.length,
    ),
    autonomy_ratio_p50: round(quantile(autonomy, 0.5)),
    autonomy_ratio_p90: round(quantile(autonomy, 0.9)),
    tool_calls_per_session_avg: ratio(sum.toolCalls, sum.sessions),
    user_turns_per_session_avg: ratio(sum.userMessages, sum.sessions),
    tool_autonomy_level_ratio: levelRatios(totals),
  };
}

/** Rows of `/tools` with `group_by=tool_name`. */
export function toolsByName(org: Org, day: Day): Row[] {
  return callsByTool(org, day).map(([tool, calls]) => ({
    date: formatDay(day),
    group_key: tool,
    tool_calls: calls,
  }));
}

/** Calls per tool, most called first: MCP tools under their full names, now and then a parsing artifact. */
function callsByTool(org: Org, day: Day): [tool: string, calls: number][] {
  const { sum } = org.totals(day);
  const { seed } = org.conditions(day);
  const builtIn = split(sum.toolCalls - sum.mcpCalls, builtInTools, seed);
  const overMcp = split(sum.mcpCalls, mcpServers, seed).flatMap(([server, calls]) =>
    split(calls, mcpTools, seed).map(([tool, part]): [string, number] => [`mcp__${server}__${tool}`, part]),
  );
  const artifact = artifactOn(org.seed, day);
  const all = [...builtIn, ...overMcp];
  const [most] = all;
  if (artifact !== undefined && most !== undefined && most[1] > 2) {
    most[1] -= 2;
    all.push([artifact, 2]);
  }
  return all.sort(([, one], [, other]) => other - one);
}

/** Splits a total over things by their popularity that day; leaves out what gets nothing. */
export function split<T>(total: number, things: Weighted<T>, seed: number): [thing: T, count: number][] {
  const parts = apportion(total, weightsOn(things, seed));
  return things
    .map(([thing], index): [T, number] => [thing, parts[index] ?? 0])
    .filter(([, count]) => count > 0);
}

/** Planning is done by hand, so `spec` counts as `manual`: the distribution has no member of its own for it. */
function levelRatios({ callsByLevel, sum }: Totals): Row {
  const calls = (level: 'auto-high' | 'auto-medium' | 'auto-low' | 'spec' | 'manual') =>
    callsByLevel.get(level) ?? 0;
  return {
    auto_high: ratio(calls('auto-high'), sum.toolCalls),
    auto_medium: ratio(calls('auto-medium'), sum.toolCalls),
    auto_low: ratio(calls('auto-low'), sum.toolCalls),
    manual: ratio(calls('manual') + calls('spec'), sum.toolCalls),
  };
}

function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(share * ascending.length))] ?? 0;
}
