import { describe, expect, test } from 'vitest';
import { newestOf, onItsDay } from '../../src/catalog/promql.ts';
import { dailyActiveUsers } from '../../src/collectors/activity/collector.ts';
import { dailyCreditsByModel } from '../../src/collectors/tokens/collector.ts';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';

describe('queries made from the catalogue', () => {
  test('count replicas once', () => {
    expect(newestOf(dailyActiveUsers)).toBe('max by (org) (agent_platform_daily_active_users)');
  });

  test('sum over the labels that are left out, after the replicas are merged', () => {
    expect(newestOf(dailyCreditsByModel, { by: ['model'], where: 'org="acme"' })).toBe(
      'sum by (org,model) (max by (org,model,tier) (agent_platform_daily_credits_by_model{org="acme"}))',
    );
  });

  test('take the labels of an own metric as they are', () => {
    expect(newestOf(ownMetrics.collectorSuccess)).toBe(
      'max by (org,collector) (agent_platform_exporter_collector_success)',
    );
  });

  test('put a value on the day that it describes', () => {
    expect(onItsDay(dailyCreditsByModel, 'tokens')).toBe(
      'max by (org,model,tier) (last_over_time((agent_platform_daily_credits_by_model and on (job,instance,org) ' +
        '(agent_platform_data_day_timestamp_seconds{dataset="tokens"} > time() - 172800 < time() - 86400))[1d:1h] offset -2d))',
    );
  });
});
