type Row = Readonly<Record<string, unknown>>;

/** A figure of a day, and how it is derived from that day's row. */
export interface Figure {
  readonly dataset: 'tokens' | 'tools' | 'activity' | 'productivity';
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Undefined if the row has no usable value. */
  valueIn(row: Row): number | undefined;
  /** Whether the row has the member at all. */
  isGivenIn(row: Row): boolean;
  /** Whether this is 0 rather than absent on a day without a row, which is a day without activity. */
  readonly idleIsZero: boolean;
}

/** The main number of each dataset: a row with a value above zero is activity. */
export const mainFields = {
  tokens: 'billable_tokens',
  tools: 'tool_calls',
  activity: 'sessions',
  productivity: 'git_commits',
} as const satisfies Readonly<Record<Figure['dataset'], string>>;

/** The figures checked by the oracle: all unlabelled ones and those with a fixed set of parts. */
export const figures: readonly Figure[] = [
  figure('tokens', 'daily_credits', 'billable_tokens'),
  ...parts('tokens', 'daily_tokens', 'kind', {
    input: 'input_tokens',
    output: 'output_tokens',
    cache_read: 'cache_read_tokens',
    cache_write: 'cache_write_tokens',
  }),
  figure('tools', 'daily_tool_calls', 'tool_calls'),
  figure('tools', 'daily_mcp_users', 'mcp_users_with_mcp'),
  figure('tools', 'daily_skill_invocations', 'skills_invocations'),
  figure('tools', 'daily_slash_command_invocations', 'slash_commands_invocations'),
  figure('tools', 'daily_hook_invocations', 'hooks_invocations'),
  figure('tools', 'daily_web_users', 'web_users'),
  average('tools', 'daily_tool_calls_per_session', 'tool_calls_per_session_avg'),
  average('tools', 'daily_user_turns_per_session', 'user_turns_per_session_avg'),
  figure('activity', 'daily_active_users', 'daily_active_users'),
  average('activity', 'weekly_active_users', 'weekly_active_users'),
  average('activity', 'monthly_active_users', 'monthly_active_users'),
  figure('activity', 'daily_sessions', 'sessions'),
  ...parts('productivity', 'daily_files', 'action', { created: 'files_created', edited: 'files_edited' }),
  figure('productivity', 'daily_git_commits', 'git_commits'),
  figure('productivity', 'daily_git_pull_requests_created', 'git_prs_created'),
];

/** The largest number up to which every integer can be represented. */
const MOST = 2 ** 53;

/** A row's member as a figure: a number from 0 to 2^53, also as text. */
export function usable(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d/.test(value) ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= MOST ? number : undefined;
}

function figure(
  dataset: Figure['dataset'],
  name: string,
  field: string,
  labels: Figure['labels'] = {},
): Figure {
  return {
    dataset,
    metric: `agent_platform_${name}`,
    labels,
    valueIn: (row) => usable(row[field]),
    isGivenIn: (row) => row[field] !== undefined && row[field] !== null,
    idleIsZero: true,
  };
}

function average(dataset: Figure['dataset'], name: string, field: string): Figure {
  return { ...figure(dataset, name, field), idleIsZero: false };
}

function parts(
  dataset: Figure['dataset'],
  name: string,
  label: string,
  fields: Readonly<Record<string, string>>,
): readonly Figure[] {
  return Object.entries(fields).map(([part, field]) => figure(dataset, name, field, { [label]: part }));
}
