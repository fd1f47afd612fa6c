import { expect, test } from 'vitest';
import { HOUR, startStory } from './harness.ts';

test.each(['429=0.3:3', '429=0.3:date'])(
  '%s: requests wait as long as requested, and all are answered',
  async (fault) => {
    const story = await startStory({ sandbox: { faults: [fault] }, flags: ['api.retries=20'] });
    const page = await story.page();
    // Which endpoint is throttled depends on the order of the requests.
    const throttled = page.by('endpoint', 'agent_platform_exporter_api_requests_total', { code: '429' });
    expect(Math.max(...Object.values(throttled))).toBeGreaterThan(0);
    expect(Object.values(page.by('collector', 'agent_platform_exporter_collector_success'))).toEqual([
      1, 1, 1, 1, 1, 1,
    ]);
    expect(Math.max(...story.clock.waits)).toBeGreaterThanOrEqual(fault.endsWith('date') ? 1_000 : 3_000);
    const quiet = await startStory();
    expect(page.platform()).toEqual((await quiet.page()).platform());
  },
);

test('a long pause is respected: nothing is sent before it is over, then requests resume', async () => {
  const story = await startStory();
  const before = await story.page();
  story.platform.setFaults(['429=1:3600']);
  await story.poll();
  const asked = story.platform.requests.length;
  story.platform.setFaults([]);
  story.clock.advance(HOUR / 2);
  expect(await story.poll()).toHaveLength(6);
  expect(story.platform.requests).toHaveLength(asked);
  const page = await story.page();
  expect(page.platform()).toEqual(before.platform());
  expect(page.by('collector', 'agent_platform_exporter_collector_failing', { reason: 'throttled' })).toEqual({
    activity: 1,
    productivity: 1,
    readiness: 1,
    tokens: 1,
    tools: 1,
    wiki: 1,
  });
  story.clock.advance(HOUR / 2);
  expect(await story.poll()).toEqual([]);
});
