import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { processMetrics } from '../../dashboards/src/health/process-metrics.ts';
import { allPanels, readDashboards } from '../../scripts/dashboards/dashboard.ts';
import { declared } from '../../scripts/dashboards/metrics.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Declared metrics that no dashboard and no rule uses: only what is for machines, and why. */
const UNUSED: Readonly<Record<string, string>> = {
  agent_platform_readiness_criterion_passed: 'off by default: for queries that weigh repositories by size',
  agent_platform_readiness_criterion_evaluated: 'off by default: for queries that weigh repositories by size',
  agent_platform_exporter_config_last_reload_success_timestamp_seconds:
    'for scripts that reload and wait; whether the last one succeeded is shown',
  agent_platform_daily_billed_cost_by_model: 'for FOCUS files and queries; of the whole day it is shown',
  agent_platform_daily_list_cost_by_model: 'for FOCUS files and queries; of the whole day it is shown',
  agent_platform_exporter_leader: 'for routing to one replica; replicas are merged, whichever leads',
};

const text = [
  ...readDashboards().flatMap(({ dashboard }) =>
    allPanels(dashboard).flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ),
  ...globSync('alerts/*exporter.rules.yaml', { cwd: ROOT }).map((file) =>
    readFileSync(path.join(ROOT, file), 'utf8'),
  ),
].join('\n');

function isUsed(name: string): boolean {
  return new RegExp(`\\b${name}(?:_bucket|_sum|_count)?\\b`).test(text);
}

describe('the metrics of the catalogue', () => {
  test('are each in some dashboard or rule, or listed with a reason', () => {
    expect(declared.filter((name) => !isUsed(name) && !(name in UNUSED))).toEqual([]);
  });

  test('are not listed as unused if they are used or no longer exist', () => {
    expect(Object.keys(UNUSED).filter((name) => isUsed(name) || !declared.includes(name))).toEqual([]);
  });
});

test('the process metrics in the dashboards are those that a process has', () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const names = registry.getMetricsAsArray().map(({ name }) => name);
  const { up, ...ofNode } = processMetrics;
  for (const { name } of Object.values(ofNode)) expect(names).toContain(name);
  expect(up.name).toBe('up');
});
