import { describe, expect, test } from 'vitest';
import { DAY, startStory } from './harness.ts';

const SUCCESS = 'agent_platform_exporter_collector_success';

describe('organizations are independent', () => {
  test('one whose key was never good', async () => {
    const alone = await (await startStory()).page();
    const story = await startStory({ sandbox: { orgs: 2 }, keys: { globex: 'sandbox-globex-mistyped' } });
    const page = await story.page();
    expect(page.platform('acme')).toEqual(alone.platform('acme'));
    const isFigure = (line: string) => !/^agent_platform_(history_uncovered|org_info)/.test(line);
    expect(page.platform('globex').filter(isFigure)).toEqual([]);
    expect(Object.values(page.by('collector', SUCCESS, { org: 'acme' }))).toEqual([1, 1, 1, 1, 1, 1]);
    expect(Object.values(page.by('collector', SUCCESS, { org: 'globex' }))).toEqual([0, 0, 0, 0, 0, 0]);
    // The API and the web app reject it in different words.
    expect(story.logged('level=error', 'Collector failing')).toHaveLength(1);
  });

  test('one whose key is rejected from some day on', async () => {
    const story = await startStory({ sandbox: { orgs: 2 } });
    const before = await story.page();
    expect(before.platform('globex').length).toBeGreaterThan(100);
    story.platform.setFaults(['401@org=globex']);
    story.clock.advance(DAY);
    expect(await story.poll()).toEqual(
      ['activity', 'productivity', 'readiness', 'tokens', 'tools', 'wiki'].map((name) => `globex/${name}`),
    );
    const page = await story.page();
    const isFigure = (line: string) => !line.startsWith('agent_platform_history_uncovered');
    expect(page.platform('globex').filter(isFigure)).toEqual(before.platform('globex').filter(isFigure));
    expect(page.platform('acme')).not.toEqual(before.platform('acme'));
    expect(Object.values(page.by('collector', SUCCESS, { org: 'acme' }))).toEqual([1, 1, 1, 1, 1, 1]);
    expect(story.logged('Collector failing', 'org=acme')).toEqual([]);
  });
});

describe('keys', () => {
  test('that were revoked and work again restore everything at the next run', async () => {
    const story = await startStory();
    story.platform.setFaults(['401']);
    story.clock.advance(DAY);
    expect(await story.poll()).toHaveLength(6);
    const page = await story.page();
    expect(
      Object.values(page.by('collector', 'agent_platform_exporter_collector_failing', { reason: 'auth' })),
    ).toEqual([1, 1, 1, 1, 1, 1]);
    story.platform.setFaults([]);
    expect(await story.poll()).toEqual([]);
    const after = await story.page();
    expect(after.value('agent_platform_data_day_timestamp_seconds', { dataset: 'tokens' })).toBe(
      Date.UTC(2026, 10, 20) / 1000,
    );
    expect(story.logged('Collector recovered')).toHaveLength(6);
  });

  test('of a member may read readiness and wiki, and analytics report the missing role', async () => {
    const story = await startStory({ sandbox: { repos: 6 }, keys: { acme: 'sandbox-acme-member' } });
    const page = await story.page();
    expect(page.by('collector', 'agent_platform_exporter_collector_failing', { reason: 'role' })).toEqual({
      activity: 1,
      productivity: 1,
      readiness: 0,
      tokens: 1,
      tools: 1,
      wiki: 0,
    });
    expect(page.find('agent_platform_readiness_ratio')).toHaveLength(6);
    expect(page.find('agent_platform_daily_credits')).toEqual([]);
    // One cause, said once.
    expect(story.logged('level=error', 'Collector failing', 'Manager or Owner')).toHaveLength(1);
  });
});
