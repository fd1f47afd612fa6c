import { expect, test } from 'vitest';
import { startStory } from './harness.ts';
import { isOfPlatform } from './page.ts';

test('bad rows are counted, and adjacent ones are kept', async () => {
  const story = await startStory({ sandbox: { repos: 12, faults: ['bad-rows'] } });
  const page = await story.page();
  expect(Object.values(page.by('collector', 'agent_platform_exporter_collector_success'))).toEqual([
    1, 1, 1, 1, 1, 1,
  ]);
  const rejected = page.by('dataset', 'agent_platform_exporter_records_rejected_total');
  for (const dataset of ['tokens', 'tools', 'activity', 'productivity', 'readiness']) {
    expect(rejected[dataset], dataset).toBeGreaterThan(0);
  }
  expect(page.find('agent_platform_readiness_ratio').length).toBeGreaterThanOrEqual(10);
  expect(page.platform().length).toBeGreaterThan(200);
  // What is left of a total, and a change, can be below 0.
  const amounts = page.samples.filter(({ name }) => !/_unattributed$|_change_by_cause$/.test(name));
  expect(amounts.filter(({ value }) => !(Number(value) >= 0))).toEqual([]);
  expect(story.logged('level=warn', 'only partly usable', 'dataset=tokens')).toHaveLength(1);
});

test('days that could be read are the same as without the bad ones', async () => {
  const good = await startStory();
  const bad = await startStory({ sandbox: { faults: ['bad-rows=0.5@activity'] } });
  const [right, page] = [await good.page(), await bad.page()];
  const others = (line: string) => !/_active_user|_sessions|_messages|data_day|uncovered/.test(line);
  expect(page.platform().filter(others)).toEqual(right.platform().filter(others));
});

test('a number beyond 2^53 is rejected and counted, and no other takes its place', async () => {
  const page = await (await startStory({ sandbox: { faults: ['huge-numbers=1'] } })).page();
  const ofPlatform = page.samples.filter(({ name }) => isOfPlatform(name));
  expect(ofPlatform.length).toBeGreaterThan(100);
  expect(ofPlatform.filter(({ value }) => !(Math.abs(Number(value)) <= 2 ** 53))).toEqual([]);
  const rejected = page.by('dataset', 'agent_platform_exporter_records_rejected_total');
  for (const dataset of ['tokens', 'tools', 'activity', 'productivity']) {
    expect(rejected[dataset], dataset).toBeGreaterThan(0);
  }
});
