import { describe, expect, test } from 'vitest';
import { atDaysEnd, newestOf, onItsDay, risenOf, sumOverRange } from '../../dashboards/src/promql.ts';
import { activityFamilies as activity } from '../../src/collectors/activity/collector.ts';
import { readinessFamilies as readiness } from '../../src/collectors/readiness/collector.ts';
import { tokenFamilies as tokens } from '../../src/collectors/tokens/collector.ts';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';
import { hookMetrics } from '../../src/intake/metrics.ts';

describe('queries made from the catalogue', () => {
  test('count replicas once', () => {
    expect(newestOf(activity.dailyActiveUsers)).toBe('max by (org) (agent_platform_daily_active_users)');
  });

  test('sum over the labels that are left out, after the replicas are merged', () => {
    expect(newestOf(tokens.dailyCreditsByModel, { by: ['model'], where: 'org="acme"' })).toBe(
      'sum by (org,model) (max by (org,model,tier) (agent_platform_daily_credits_by_model{org="acme"}))',
    );
  });

  test('use the labels of an own metric unchanged', () => {
    expect(newestOf(ownMetrics.collectorSuccess)).toBe(
      'max by (org,collector) (agent_platform_exporter_collector_success)',
    );
  });

  test('count what replicas share once, and add up what several stores have', () => {
    expect(newestOf(hookMetrics.sessionsWaiting, { where: 'job=~"$job"' })).toBe(
      'sum by () (max by (store) (agent_platform_hook_sessions_waiting{job=~"$job"} * on (job,instance) group_left (store) ' +
        'agent_platform_exporter_store_info{job=~"$job"}))',
    );
    const choice = { by: ['event'], where: 'job=~"$job",org=~"$org"' } as const;
    expect(risenOf(hookMetrics.events, 'rate', '5m', choice)).toBe(
      'sum by (event) (max by (event,store) (rate(agent_platform_hook_events_total{job=~"$job",org=~"$org"}[5m]) * ' +
        'on (job,instance) group_left (store) agent_platform_exporter_store_info{job=~"$job"}))',
    );
    expect(risenOf(hookMetrics.wait, 'rate', '5m', { by: [], suffix: '_bucket' })).toBe(
      'sum by (le) (max by (notification_type,le,store) (rate(agent_platform_hook_wait_seconds_bucket[5m]) * on (job,instance) ' +
        'group_left (store) agent_platform_exporter_store_info))',
    );
    expect(risenOf(hookMetrics.events, 'increase', '$__range')).toBe(
      'sum by (event) (increase((max by (event,store) (agent_platform_hook_events_total * ' +
        'on (job,instance) group_left (store) agent_platform_exporter_store_info))[$__range:1m]))',
    );
  });

  test('plot a value on the day it describes', () => {
    expect(onItsDay(tokens.dailyCreditsByModel, 'tokens')).toBe(
      'sum_over_time((max by (org,model,tier) (last_over_time((agent_platform_daily_credits_by_model and on (job,instance,org) ' +
        '(time() - agent_platform_data_day_timestamp_seconds{dataset="tokens"} > 86400 < 172800))[1d:1h] offset -2d))' +
        ')[86399s:1d] offset -12h)',
    );
  });

  test('ask the gate for no label of the family, because it is joined by the target', () => {
    const query = onItsDay(tokens.dailyTokens, 'tokens', { where: 'job=~"$job"', only: { kind: 'input' } });
    expect(query).toContain('agent_platform_daily_tokens{kind="input",job=~"$job"} and');
    expect(query).toContain('{dataset="tokens"}');
  });

  test('read the recorded series in place of the window if the variables say so', () => {
    const recorded = { name: 'agent_platform:daily_tokens', where: 'org=~"$org"' };
    const choice = { where: 'job=~"$job",org=~"$org"', only: { kind: 'input' }, by: [], recorded } as const;
    expect(onItsDay(tokens.dailyTokens, 'tokens', choice)).toBe(
      `sum_over_time((sum by (org) (
$raw(org,kind) (last_over_time((agent_platform_daily_tokens{kind="input",job=~"$job",org=~"$org"} and on (job,instance,org) (time() - agent_platform_data_day_timestamp_seconds{dataset="tokens"} > 86400 < 172800))[1d:1h] offset -2d))
$recorded(agent_platform:daily_tokens{kind="input",org=~"$org"}[1d] offset -2d)
))[86399s:1d] offset -12h)`,
    );
  });

  test('add up the days that overlap a range', () => {
    expect(sumOverRange(tokens.dailyCredits, 'tokens')).toBe(
      'sum_over_time((max by (org) (last_over_time((agent_platform_daily_credits and on (job,instance,org) ' +
        '(time() - agent_platform_data_day_timestamp_seconds{dataset="tokens"} > 86400 < 172800))[1d:1h] offset -2d))' +
        `)[23h59m\${__range_s}s:1d])`,
    );
  });

  test('add up the days of the week before a Thursday', () => {
    const day = onItsDay(activity.dailyActiveUsers, 'activity');
    const week = day.replace('[86399s:1d] offset -12h', '[604799s:1d] offset 12h');
    expect(onItsDay(activity.dailyActiveUsers, 'activity', { over: 'week' })).toBe(week);
    expect(onItsDay(activity.dailyActiveUsers, 'activity', { over: 'weeklyMean' })).toBe(
      week.replace('sum_', 'avg_'),
    );
  });

  test('show a state as it was at the end of each day', () => {
    expect(atDaysEnd(readiness.readinessRatio)).toBe(
      'sum_over_time((max by (org,repo) (last_over_time(agent_platform_readiness_ratio[1d:1h] offset -1d)))[86399s:1d] offset -12h)',
    );
  });

  test('make one series of all states of a day before the days are told apart', () => {
    expect(atDaysEnd(readiness.readinessRatio, { across: 'avg' })).toBe(
      'sum_over_time((avg (max by (org,repo) (last_over_time(agent_platform_readiness_ratio[1d:1h] offset -1d))))[86399s:1d] offset -12h)',
    );
  });

  test('sum over organizations after the replicas are merged', () => {
    expect(newestOf(activity.dailyActiveUsers, { orgs: 'summed' })).toBe(
      'sum by () (max by (org) (agent_platform_daily_active_users))',
    );
    expect(newestOf(tokens.dailyCreditsByModel, { by: ['tier'], orgs: 'summed' })).toBe(
      'sum by (tier) (max by (org,model,tier) (agent_platform_daily_credits_by_model))',
    );
  });

  test('match a dashboard’s variable as a pattern and anything else as it is', () => {
    const only = { repo: '$repo' } as const;
    expect(newestOf(readiness.readinessRatio, { only })).toContain('{repo=~"$repo"}');
    expect(newestOf(tokens.dailyTokens, { only: { kind: 'a"b' } })).toContain('{kind="a\\"b"}');
  });

  test('sum the separate counts of replicas', () => {
    expect(risenOf(ownMetrics.apiRequests, 'rate', '5m', { by: ['code'], where: 'job="x"' })).toBe(
      'sum by (code) (rate(agent_platform_exporter_api_requests_total{job="x"}[5m]))',
    );
    expect(risenOf(ownMetrics.apiRequestDuration, 'rate', '5m', { by: [], suffix: '_bucket' })).toBe(
      'sum by (le) (rate(agent_platform_exporter_api_request_duration_seconds_bucket[5m]))',
    );
  });
});
