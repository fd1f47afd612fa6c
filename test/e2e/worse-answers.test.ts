import { expect, test } from 'vitest';
import { startStory } from './harness.ts';

const DATASETS = ['tokens', 'tools', 'activity', 'productivity'];

test('days that come back worse keep what was published, are counted, and are not revisions', async () => {
  const story = await startStory({ collectors: DATASETS });
  const figures = async () => (await story.page()).platform();
  const good = await figures();
  story.platform.setFaults(['huge-numbers=1']);
  expect(await story.poll()).toEqual([]);
  expect(await figures()).toEqual(good);
  const page = await story.page();
  const rejected = page.by('dataset', 'agent_platform_exporter_records_rejected_total');
  const revisions = page.by('dataset', 'agent_platform_exporter_day_revisions_total');
  for (const dataset of DATASETS) {
    expect(rejected[dataset], dataset).toBeGreaterThan(0);
    expect(revisions[dataset], dataset).toBe(0);
  }
  story.platform.setFaults([]);
  expect(await story.poll()).toEqual([]);
  expect(await figures()).toEqual(good);
});
