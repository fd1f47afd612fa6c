import type { ApiFields } from '../../catalog/api-contract.ts';
import type { DatasetName } from '../../catalog/dataset.ts';

/** The two kinds of organizations. */
export type Kind = 'console' | 'enterprise';

function listed(path: string, members: ApiFields['members']): ApiFields {
  return { path: `/v1/organizations/${path}`, element: 'data[].', members };
}

const INPUT = 'usage.{uncached_input_tokens,cache_read_input_tokens,cache_creation.*}';

/** Use and cost are two lists of rows by day and model. */
const TOKENS = listed('analytics/{usage,cost}', {
  cost: 'cost.amount',
  listCost: 'cost.list_amount',
  'tokens.input': INPUT,
  'tokens.output': 'usage.output_tokens',
  'tokens.cacheRead': 'usage.cache_read_input_tokens',
  'tokens.cacheWrite': 'usage.cache_creation.*',
  byModel: 'group.model',
  'byModel.cost': 'cost.amount',
  'byModel.listCost': 'cost.list_amount',
  'byModel.input': INPUT,
  'byModel.output': 'usage.output_tokens',
});

/** Where a person's cost is. */
const COST = 'cost.amount by group.actor';
const CODE = 'claude_code_metrics.core_metrics';
const TOOLS = 'claude_code_metrics.tool_actions';

/** Where each stored member is read from, by kind and dataset. */
export const FIELDS: Readonly<Record<Kind, Readonly<Partial<Record<DatasetName, ApiFields>>>>> = {
  console: {
    tokens: TOKENS,
    activity: listed('usage_report/claude_code', {
      dailyUsers: 'actor.email_address',
      byClient: 'terminal_type, is_remote',
      sessions: 'core_metrics.num_sessions',
    }),
    productivity: listed('usage_report/claude_code', {
      commits: 'core_metrics.commits_by_claude_code',
      pullRequests: 'core_metrics.pull_requests_by_claude_code',
      linesAdded: 'core_metrics.lines_of_code.added',
      linesRemoved: 'core_metrics.lines_of_code.removed',
      suggestionsShown: 'tool_actions.*.{accepted,rejected}',
      suggestionsAccepted: 'tool_actions.*.accepted',
    }),
    users: listed('{usage_report/claude_code,analytics/cost}', {
      cost: COST,
      sessions: 'core_metrics.num_sessions',
      commits: 'core_metrics.commits_by_claude_code',
      pullRequests: 'core_metrics.pull_requests_by_claude_code',
      isActive: 'core_metrics, tool_actions',
    }),
  },
  enterprise: {
    tokens: TOKENS,
    activity: listed('analytics/{summaries,users}', {
      dailyUsers: 'daily_active_user_count',
      weeklyUsers: 'weekly_active_user_count',
      monthlyUsers: 'monthly_active_user_count',
      byClient: '{chat,claude_code,cowork,…}_daily_active_user_count',
      sessions: `${CODE}.distinct_session_count`,
      seats: 'assigned_seat_count',
    }),
    productivity: listed('analytics/users', {
      commits: `${CODE}.commit_count`,
      pullRequests: `${CODE}.pull_request_count`,
      linesAdded: `${CODE}.lines_of_code.added_count`,
      linesRemoved: `${CODE}.lines_of_code.removed_count`,
      suggestionsShown: `${TOOLS}.*.{accepted_count,rejected_count}`,
      suggestionsAccepted: `${TOOLS}.*.accepted_count`,
    }),
    users: listed('analytics/{users,cost}', {
      cost: COST,
      sessions: `${CODE}.distinct_session_count`,
      commits: `${CODE}.commit_count`,
      pullRequests: `${CODE}.pull_request_count`,
      isActive: '*_metrics, web_search_count',
    }),
    tools: listed('analytics/{skills,connectors}', {
      skillInvocations: 'invocation_count',
      bySkill: 'skill_name',
      mcpByServer: 'connector_name',
    }),
  },
};
