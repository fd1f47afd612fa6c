import { expect, test } from 'vitest';
import { firstRuns, startStory } from '../e2e/harness.ts';
import { expectAllCounted } from '../e2e/people.ts';

// The full-size version of tests that `npm test` runs at a smaller size.

test('tens of thousands of people are counted like twenty', () => expectAllCounted(50_000));

test('tens of thousands of names exceed the limit, and cost their own data only', async () => {
  const story = await startStory({
    sandbox: { faults: ['many-names=30000@tools'] },
    flags: ['api.max-response-bytes=2MiB', 'api.retries=0', 'history.start=2026-11-12'],
    polled: false,
  });
  await firstRuns(story.service);
  const page = await story.page();
  expect(page.by('collector', 'agent_platform_exporter_collector_failing', { reason: 'limit' })).toEqual({
    ...{ activity: 0, productivity: 0, readiness: 0, tokens: 0, tools: 1, wiki: 0 },
  });
});
