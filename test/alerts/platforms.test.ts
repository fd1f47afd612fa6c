import { describe, expect, test, vi } from 'vitest';

vi.mock('../../src/platforms/list.ts', async (original) => {
  const { platforms } = await original<typeof import('../../src/platforms/list.ts')>();
  const { otherPlatform } = await import('../support/other-platform.ts');
  return { platforms: [...platforms, { ...otherPlatform, days: { tokens: { lateDays: 5 } } }] };
});

const { alertName, defaultSettings, ruleGroups } = await import('../../alerts/src/index.ts');

function declared(name: string) {
  const alert = ruleGroups(defaultSettings)
    .flatMap(({ alerts }) => alerts)
    .find((one) => alertName(one) === name);
  if (alert === undefined) throw new Error(`no alert ${name}`);
  return { expr: alert.expr.replaceAll(/\s+/g, ' '), description: alert.description };
}

const OTHER = 'max by (org) (last_over_time(agent_platform_org_info{platform=~"other"}[25m]))';

describe('with a platform of another measure and later days', () => {
  test('no day is a spike below the floor of its platform', () => {
    const { expr } = declared('AgentPlatformCreditSpike');
    expect(expr).toContain(`<= 1 * 1e6 unless on (org) ${OTHER}`);
    expect(expr).toContain(`<= 1000 and on (org) ${OTHER}`);
  });

  test('a dataset is stale when its platform can have no later row', () => {
    const { expr, description } = declared('AgentPlatformDataStale');
    expect(expr).toContain('> 126 * 3600 unless (');
    expect(expr).toMatch(/\{dataset="tokens"\}.*> 174 \* 3600/);
    expect(description).toContain('174{{ else }}126{{ end }} h at most');
  });
});
