import type { Family } from './family.ts';

/** What decides whether a family is recorded. */
type Recordable = Pick<Family, 'scope' | 'labels'> & { readonly name: string };

/** Recorded in addition to the figures of days: series per person that dashboards sum up over a range, and states. */
const ALSO: ReadonlySet<string> = new Set([
  'agent_platform_daily_credits_by_user',
  'agent_platform_daily_git_commits_by_user',
  'agent_platform_cost_month_budget',
  'agent_platform_credits_month_budget',
  'agent_platform_team_cost_month_budget',
  'agent_platform_team_credits_month_budget',
  'agent_platform_readiness_ratio',
  'agent_platform_data_day_timestamp_seconds',
]);

/**
 * Whether recording rules and backfills write a family without the labels of its targets, for dashboards over long
 * ranges: every figure of a day except those per person that no dashboard shows by day.
 */
export function isRecorded({ name, scope, labels }: Recordable): boolean {
  return ALSO.has(name) || (scope === 'day' && !(labels as readonly string[]).includes('user'));
}

/** The name of a family's recorded series. */
export function recordedNameOf(name: string): string {
  return name.replace(/^agent_platform_/, 'agent_platform:');
}
