import { describe, expect, test } from 'vitest';
import { isDayCollector, isFetching } from '../../src/catalog/collector.ts';
import { aboutFamilies, collectors } from '../../src/collectors/index.ts';
import { createFakeView, DAY, expositionOf, linesOf } from './fakes.ts';

const families = [...collectors.flatMap((collector) => collector.families), ...aboutFamilies];

/** The published contract of family names and labels, on which dashboards and alerts depend. */
const declared: Readonly<Record<string, readonly string[]>> = {
  daily_credits: [],
  daily_credits_by_model: ['model', 'tier'],
  daily_tokens: ['kind'],
  daily_tokens_by_model: ['model', 'tier', 'kind'],
  daily_credits_unattributed: ['breakdown'],
  daily_cache_read_ratio: [],
  daily_credits_per_million_tokens: [],
  credits_month_to_date: [],
  credits_month_forecast: [],
  credits_month_forecast_lower: [],
  credits_month_forecast_upper: [],
  credits_month_budget_exceeded_probability: [],
  credits_month_budget: [],
  credits_trailing_7d: [],
  credits_trailing_28d: [],
  daily_credits_expected: [],
  daily_credits_expected_upper: [],
  credits_share_by_model: ['model', 'tier'],
  credits_share_by_model_baseline: ['model', 'tier'],
  credits_month_to_date_baseline: [],
  credits_month_budget_lasts: [],
  credits_trailing_7d_baseline: [],
  daily_credits_unusual: [],
  credits_change_by_cause: ['cause'],
  credits_by_model_sum_7d: ['model', 'tier'],
  credits_by_model_sum_7d_baseline: ['model', 'tier'],
  credit_price: ['currency'],
  daily_cost: ['currency'],
  cost_sum_7d: ['currency'],
  cost_sum_7d_baseline: ['currency'],
  daily_cost_by_model: ['model', 'tier', 'currency'],
  cost_month_to_date: ['currency'],
  cost_month_forecast: ['currency'],
  cost_month_forecast_lower: ['currency'],
  cost_month_forecast_upper: ['currency'],
  cost_month_budget_exceeded_probability: ['currency'],
  cost_month_budget: ['currency'],
  billing_period_start_timestamp_seconds: [],
  seats: [],
  credits_per_active_user_28d: [],
  cost_per_active_user_28d: ['currency'],
  credits_per_commit_28d: [],
  cost_per_commit_28d: ['currency'],
  credits_per_pull_request_created_28d: [],
  cost_per_pull_request_created_28d: ['currency'],
  daily_tool_calls: [],
  daily_tool_calls_by_tool: ['tool'],
  daily_mcp_users: [],
  daily_mcp_calls_by_server: ['server'],
  daily_skill_invocations: [],
  daily_skill_invocations_by_skill: ['skill'],
  daily_slash_command_invocations: [],
  daily_slash_command_invocations_by_command: ['command'],
  daily_hook_invocations: [],
  daily_hook_invocations_by_event: ['event', 'matcher'],
  daily_web_users: [],
  daily_autonomy_ratio: ['stat'],
  daily_tool_calls_per_session: [],
  daily_user_turns_per_session: [],
  daily_autonomy_level_ratio: ['level'],
  tool_calls_sum_7d: [],
  tool_calls_sum_7d_baseline: [],
  daily_active_users: [],
  weekly_active_users: [],
  monthly_active_users: [],
  daily_active_users_by_client: ['client'],
  daily_sessions: [],
  daily_messages: ['role'],
  daily_active_users_mean_7d: [],
  daily_active_users_mean_7d_baseline: [],
  day_off: [],
  usage_per_active_user_7d: ['kind'],
  daily_files: ['action'],
  daily_file_operations_by_extension: ['extension'],
  daily_file_operations_by_language: ['language'],
  daily_git_commits: [],
  daily_git_pull_requests_created: [],
  git_commits_sum_7d: [],
  git_commits_sum_7d_baseline: [],
  git_pull_requests_created_sum_7d: [],
  git_pull_requests_created_sum_7d_baseline: [],
  files_sum_7d: ['action'],
  files_sum_7d_baseline: ['action'],
  output_per_million_credits_7d: ['output'],
  daily_users_by_primary_model: ['model', 'tier'],
  daily_users_by_delegation_level: ['level'],
  daily_users_by_language: ['language'],
  daily_credits_per_user: ['stat'],
  daily_credits_top_users_ratio: [],
  daily_credits_by_team: ['team'],
  credits_by_team_sum_7d: ['team'],
  credits_by_team_sum_7d_baseline: ['team'],
  daily_cost_by_team: ['team', 'currency'],
  daily_active_users_by_team: ['team'],
  daily_tool_calls_by_team: ['team'],
  daily_git_commits_by_team: ['team'],
  daily_git_pull_requests_created_by_team: ['team'],
  team_credits_month_to_date: ['team'],
  team_credits_month_forecast: ['team'],
  team_credits_month_forecast_lower: ['team'],
  team_credits_month_forecast_upper: ['team'],
  team_credits_month_budget_exceeded_probability: ['team'],
  team_credits_month_budget: ['team'],
  team_cost_month_to_date: ['team', 'currency'],
  team_cost_month_forecast: ['team', 'currency'],
  team_cost_month_forecast_lower: ['team', 'currency'],
  team_cost_month_forecast_upper: ['team', 'currency'],
  team_cost_month_budget_exceeded_probability: ['team', 'currency'],
  team_cost_month_budget: ['team', 'currency'],
  daily_credits_by_user: ['user'],
  daily_tool_calls_by_user: ['user'],
  daily_sessions_by_user: ['user'],
  daily_messages_by_user: ['user', 'role'],
  daily_files_by_user: ['user', 'action'],
  daily_git_commits_by_user: ['user'],
  daily_git_pull_requests_created_by_user: ['user'],
  daily_mcp_calls_by_user: ['user'],
  daily_skill_invocations_by_user: ['user'],
  daily_slash_command_invocations_by_user: ['user'],
  daily_hook_invocations_by_user: ['user'],
  daily_autonomy_ratio_by_user: ['user'],
  user_info: ['user', 'team', 'primary_model', 'primary_model_tier', 'delegation_level'],
  readiness_ratio: ['repo'],
  readiness_ratio_previous: ['repo'],
  readiness_criterion_ratio: ['repo', 'criterion'],
  readiness_criterion_ratio_previous: ['repo', 'criterion'],
  readiness_criterion_passed: ['repo', 'criterion'],
  readiness_criterion_evaluated: ['repo', 'criterion'],
  readiness_criteria: ['repo', 'status'],
  readiness_criteria_regressed: ['repo'],
  readiness_applications: ['repo'],
  readiness_report_timestamp_seconds: ['repo'],
  readiness_report_info: [
    'repo',
    'branch',
    'commit',
    'model',
    'reasoning_effort',
    'client_version',
    'local_changes',
    'non_remote_commits',
  ],
  readiness_ratio_lower: ['repo'],
  readiness_level: ['repo'],
  wiki_runs: [],
  wiki_runs_by_status: ['status'],
  wiki_last_run_timestamp_seconds: ['repo'],
  wiki_pages: ['repo'],
  data_day_timestamp_seconds: ['dataset'],
  history_uncovered: ['dataset'],
  org_info: ['org_id'],
};

/** The labels of closed sets, by the collector that has them. */
const fixed: Readonly<Record<string, readonly string[]>> = {
  tokens: ['kind', 'breakdown'],
  spend: ['cause', 'currency'],
  tools: ['stat'],
  activity: ['role', 'kind'],
  productivity: ['action', 'output'],
  users: ['stat', 'currency', 'role', 'action'],
  readiness: ['status'],
  wiki: [],
};

describe('the declared metrics', () => {
  test('have the documented names and labels', () => {
    const names = families.map(({ name, labels }) => [name.replace('agent_platform_', ''), labels]);
    expect(names).toEqual(Object.entries(declared));
  });

  test('come from the collectors in their order, all on by default except users', () => {
    expect(
      collectors.map((collector) => [
        collector.name,
        isFetching(collector) ? collector.schedule : `with ${collector.derivesFrom}`,
        collector.enabledByDefault,
      ]),
    ).toEqual([
      ['tokens', 'analytics', true],
      ['spend', 'with tokens', true],
      ['tools', 'analytics', true],
      ['activity', 'analytics', true],
      ['productivity', 'analytics', true],
      ['users', 'users', false],
      ['readiness', 'readiness', true],
      ['wiki', 'wiki', true],
    ]);
  });

  test.each(collectors)(
    'of $name fold no label of a closed set, in any family',
    ({ name, families: own }) => {
      const fixedOf = own.flatMap(({ fixedLabels = [] }) => fixedLabels);
      expect([...new Set(fixedOf)]).toEqual(fixed[name]);
      for (const { labels, fixedLabels = [] } of own) {
        expect(fixedLabels).toEqual(labels.filter((label) => fixed[name]?.includes(label)));
      }
    },
  );

  test.each(families)(
    '$name has a help of one line without double quotes, ending in a full stop',
    ({ help }) => {
      expect(help).toMatch(/^[A-Z][^"\n]*\.$/);
    },
  );

  test('say that counts of people are not to be summed', () => {
    const shared = families.filter(
      ({ aggregation, labels }) => aggregation === 'distinct' && labels.length > 0,
    );
    expect(shared.map(({ help }) => help).every((help) => help.includes('Do not sum'))).toBe(true);
  });

  test('are infos and timestamps exactly where their names say so', () => {
    for (const { name, aggregation } of families) {
      expect(aggregation === 'info', name).toBe(name.endsWith('_info'));
      expect(aggregation === 'timestamp', name).toBe(name.endsWith('_timestamp_seconds'));
      expect(name).not.toMatch(/_(total|count|sum|bucket)$/);
    }
  });

  test('drop the per-user families and the per-criterion counts first', () => {
    const details = families.filter(({ dropPriority }) => dropPriority === 'detail').map(({ name }) => name);
    expect(details.filter((name) => !/_by_user$|_user_info$/.test(name))).toEqual([
      'agent_platform_readiness_criterion_passed',
      'agent_platform_readiness_criterion_evaluated',
    ]);
  });
});

describe('an idle day', () => {
  test('is 0 where that follows, and absent where it does not', () => {
    const lines = collectors
      .filter(isDayCollector)
      .flatMap(({ dataset, families: own }) =>
        expositionOf(own, createFakeView({ rows: new Map([[DAY, dataset.idle]]) })),
      )
      // What is unknown is not published, such as the rest of a total that is not in these rows.
      .filter((line) => !line.endsWith(' NaN'));
    expect(lines).toEqual([
      'daily_credits 0',
      'daily_tokens{kind="input"} 0',
      'daily_tokens{kind="output"} 0',
      'daily_tokens{kind="cache_read"} 0',
      'daily_tokens{kind="cache_write"} 0',
      'daily_tool_calls 0',
      'daily_mcp_users 0',
      'daily_skill_invocations 0',
      'daily_slash_command_invocations 0',
      'daily_hook_invocations 0',
      'daily_web_users 0',
      'daily_active_users 0',
      'daily_sessions 0',
      'daily_messages{role="user"} 0',
      'daily_messages{role="assistant"} 0',
      'daily_files{action="created"} 0',
      'daily_files{action="edited"} 0',
      'daily_git_commits 0',
      'daily_git_pull_requests_created 0',
    ]);
  });
});

describe('the families about the data', () => {
  const datasets = collectors.filter(isDayCollector).map(({ dataset }) => dataset);
  const ofFirst = { datasets: datasets.slice(0, 2) };

  test('show the newest day in Unix seconds, the uncovered days and the organization', () => {
    const view = createFakeView({ rows: new Map([[DAY, {}]]), orgId: 'org_1', ...ofFirst });
    expect(expositionOf(aboutFamilies, view)).toEqual([
      'data_day_timestamp_seconds{dataset="tokens"} 1773100800',
      'data_day_timestamp_seconds{dataset="tools"} 1773100800',
      'history_uncovered{dataset="tokens"} 4',
      'history_uncovered{dataset="tools"} 4',
      'org_info{org_id="org_1"} 1',
    ]);
  });

  test('omit what is not known yet', () => {
    const view = createFakeView(ofFirst);
    expect(aboutFamilies.map((family) => linesOf(family, view))).toEqual([
      [],
      ['{dataset="tokens"} 4', '{dataset="tools"} 4'],
      undefined,
    ]);
  });
});
