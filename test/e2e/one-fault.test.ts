import { describe, expect, test } from 'vitest';
import { firstCases } from '../support/thoroughness.ts';
import { DAY, type Story, startStory, untilTimedOut } from './harness.ts';
import type { Page } from './page.ts';

const COLLECTORS = ['activity', 'productivity', 'readiness', 'tokens', 'tools', 'wiki'];
/** Runs of one request each, to keep the test small. */
const SHORT = ['history.start=2026-11-10', 'history.revision-window=2d'];

function failingReasons(page: Page, collector: string): readonly string[] {
  const failing = page.by('reason', 'agent_platform_exporter_collector_failing', { collector });
  return Object.keys(failing).filter((reason) => failing[reason] === 1);
}

function ofCollector(page: Page, collector: string): readonly string[] {
  const names: Readonly<Record<string, RegExp>> = {
    tokens: /^agent_platform_daily_(credits|tokens)/,
    tools: /^agent_platform_daily_(tool_|mcp_|skill_|slash_|hook_|web_|autonomy_|user_turns_)/,
    activity: /^agent_platform_(daily|weekly|monthly)_(active_|sessions|messages)/,
    productivity: /^agent_platform_daily_(file|git_)/,
    readiness: /^agent_platform_readiness_/,
    wiki: /^agent_platform_wiki_/,
  };
  return page.platform().filter((line) => names[collector]?.test(line));
}

/** A day passes and the platform is polled twice, which must log once. */
async function nextDay(story: Story, poll = () => story.poll()): Promise<readonly (readonly string[])[]> {
  story.clock.advance(DAY);
  return [await poll(), await poll()];
}

describe('a failing endpoint costs only itself', () => {
  test.each(firstCases(2, ['tokens', 'readiness', 'activity', 'productivity', 'tools', 'wiki']))(
    '%s',
    async (collector) => {
      const story = await startStory({ flags: SHORT });
      const before = await story.page();
      story.platform.setFaults([`500@${collector}`]);
      expect(await nextDay(story)).toEqual([[`acme/${collector}`], [`acme/${collector}`]]);
      const page = await story.page();

      expect(ofCollector(before, collector)).not.toEqual([]);
      expect(ofCollector(page, collector), 'the last good data stays').toEqual(
        ofCollector(before, collector),
      );
      expect(page.by('collector', 'agent_platform_exporter_collector_success')).toEqual(
        Object.fromEntries(COLLECTORS.map((name) => [name, name === collector ? 0 : 1])),
      );
      for (const name of COLLECTORS) {
        expect(failingReasons(page, name)).toEqual(name === collector ? ['server'] : []);
      }
      for (const dataset of ['tokens', 'tools', 'activity', 'productivity']) {
        const moved = dataset === collector ? 0 : DAY / 1000;
        const name = 'agent_platform_data_day_timestamp_seconds';
        expect(page.value(name, { dataset })).toBe(Number(before.value(name, { dataset })) + moved);
      }
      expect(story.logged('Collector failing')).toHaveLength(1);
      expect(story.logged('Collector failing', `collector=${collector}`, 'reason=server')).toHaveLength(1);

      story.platform.setFaults([]);
      expect(await story.poll()).toEqual([]);
      const after = await story.page();
      expect(failingReasons(after, collector)).toEqual([]);
      expect(story.logged('Collector recovered', `collector=${collector}`)).toHaveLength(1);
    },
  );
});

describe('whatever goes wrong has a reason, and the last good data stays', () => {
  test.each([
    ['401', 'auth', '401', []],
    ['403', 'role', '403', []],
    ['500', 'server', '500', []],
    ['503=1', 'server', '503', []],
    ['html', 'server', '502', []],
    ['html=1:200', 'schema', '200', []],
    ['malformed', 'schema', '200', []],
    ['empty-body', 'schema', '200', []],
    ['cut-off', 'network', 'network', []],
    ['close', 'network', 'network', []],
    ['slow=1:86400000', 'timeout', 'timeout', ['api.retries=1']],
    ['oversize=4000000', 'limit', '200', ['api.max-response-bytes=3MiB']],
  ])('%s: %s', async (fault, reason, code, flags) => {
    const story = await startStory({ flags: [...SHORT, ...flags], collectors: ['tokens', 'tools'] });
    const before = await story.page();
    story.platform.setFaults([`${fault}@tokens`]);
    const poll = reason === 'timeout' ? () => untilTimedOut(story, 'tokens', story.poll) : story.poll;
    expect(await nextDay(story, poll)).toEqual([['acme/tokens'], ['acme/tokens']]);
    const page = await story.page();

    expect(failingReasons(page, 'tokens')).toEqual([reason]);
    const requests = 'agent_platform_exporter_api_requests_total';
    const counted = { endpoint: 'tokens', code };
    expect(page.value(requests, counted)).toBeGreaterThan(before.value(requests, counted) ?? 0);
    expect(ofCollector(page, 'tokens')).toEqual(ofCollector(before, 'tokens'));
    expect(page.value('agent_platform_exporter_collector_success', { collector: 'tools' })).toBe(1);
    expect(story.logged('Collector failing', `reason=${reason}`)).toHaveLength(1);

    story.platform.setFaults([]);
    expect(await story.poll()).toEqual([]);
    expect(
      (await story.page()).value('agent_platform_data_day_timestamp_seconds', { dataset: 'tokens' }),
    ).toBe(Date.UTC(2026, 10, 20) / 1000);
  });
});
