import { describe, expect, test } from 'vitest';
import { startStory } from './harness.ts';

async function wikiWith(shape: string) {
  const story = await startStory({
    sandbox: { repos: 12, faults: [`wiki-shape=${shape}`] },
    collectors: ['wiki'],
  });
  const page = await story.page();
  return { story, page, lines: page.platform().filter((line) => line.includes('_wiki_')) };
}

describe('the wiki listing is read in every shape seen', () => {
  test.each(['bare', 'data', 'runs'])('%s', async (shape) => {
    const usual = await wikiWith('wikiRuns');
    const { lines } = await wikiWith(shape);
    const ofRepos = (line: string) => !line.includes('_by_status');
    expect(usual.lines.length).toBeGreaterThan(5);
    expect(lines.filter(ofRepos)).toEqual(usual.lines);
  });

  test('with a status, runs are counted by it', async () => {
    const { page } = await wikiWith('runs');
    const byStatus = page.by('status', 'agent_platform_wiki_runs_by_status');
    expect(Object.keys(byStatus).every((status) => ['completed', 'failed'].includes(status))).toBe(true);
    const sum = Object.values(byStatus).reduce((all, one) => all + one, 0);
    expect(sum).toBe(page.value('agent_platform_wiki_runs'));
  });
});

test('an unknown shape has no series and one warning', async () => {
  const { story, page, lines } = await wikiWith('unknown');
  expect(lines).toEqual([]);
  expect(page.value('agent_platform_exporter_collector_success', { collector: 'wiki' })).toBe(1);
  await story.poll();
  await story.poll();
  expect(story.logged('level=warn', 'unknown shape')).toHaveLength(1);
});
