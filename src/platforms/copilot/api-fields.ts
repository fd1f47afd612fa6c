import type { ApiFields } from '../../catalog/api-contract.ts';
import type { DatasetName } from '../../catalog/dataset.ts';

function report<Members>(name: string, members: Members) {
  return { path: `/orgs/{org}/copilot/metrics/reports/${name}-1-day`, element: '', members };
}

/** Where each stored member is read from, by dataset. */
export const API_FIELDS = {
  tokens: {
    path: '/organizations/{org}/settings/billing/ai_credit/usage',
    element: 'usageItems[].',
    members: {
      credits: 'grossQuantity',
      cost: 'grossAmount',
      billedCost: 'netAmount',
      byModel: 'model',
      'byModel.credits': 'grossQuantity',
      'byModel.cost': 'grossAmount',
      'byModel.billedCost': 'netAmount',
    },
  },
  activity: report('organization', {
    dailyUsers: 'daily_active_users',
    weeklyUsers: 'weekly_active_users',
    monthlyUsers: 'monthly_active_users',
    byClient: 'daily_active_{cli,copilot_app,copilot_cloud_agent,copilot_code_review}_users',
    sessions: 'totals_by_{cli,copilot_app}.session_count, totals_by_3rd_party_agent[].session_count',
    userMessages: 'user_initiated_interaction_count, totals_by_copilot_app.prompt_count',
    seats: 'seat_breakdown.total',
  }),
  productivity: report('organization', {
    pullRequests: 'pull_requests.total_created_by_copilot',
    pullRequestsMerged: 'pull_requests.total_merged_created_by_copilot',
    linesAdded: 'loc_added_sum',
    linesRemoved: 'loc_deleted_sum',
    linesSuggested: 'loc_suggested_to_add_sum',
    suggestionsShown: 'code_generation_activity_count',
    suggestionsAccepted: 'code_acceptance_activity_count',
  }),
  users: report('users', {
    credits: 'ai_credits_used',
    cost: 'ai_credits_used',
    sessions: 'totals_by_{cli,copilot_app}.session_count',
    userMessages: 'user_initiated_interaction_count, totals_by_copilot_app.prompt_count',
    isActive:
      'user_initiated_interaction_count, code_generation_activity_count, totals_by_{cli,copilot_app}.session_count',
  }),
} as const satisfies Readonly<Partial<Record<DatasetName, ApiFields>>>;
