import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DAY, HOUR, NOON, type Story, startStory } from './harness.ts';

async function readinessWith(faults: readonly string[]) {
  const story = await startStory({ sandbox: { repos: 12, faults }, collectors: ['readiness'] });
  const page = await story.page();
  return {
    story,
    lines: page.platform().filter((line) => line.includes('_readiness_')),
    success: page.value('agent_platform_exporter_collector_success', { collector: 'readiness' }),
    asked: story.platform.requests.filter(({ path }) => path.includes('organization')),
  };
}

describe('the readiness figures are right however the listing behaves', () => {
  test.each(['oldest-first', 'ignore-limit', 'limit-cap=7', 'redirect'])('%s', async (fault) => {
    const right = await readinessWith([]);
    const odd = await readinessWith([fault]);
    expect(right.lines.length).toBeGreaterThan(100);
    expect(odd.success).toBe(1);
    expect(odd.lines).toEqual(right.lines);
  });

  test('ignore-start-after: a listing that always starts over is read only as long as it has something new', async () => {
    const { lines, success, asked } = await readinessWith(['ignore-start-after']);
    const right = await readinessWith([]);
    expect(success).toBe(1);
    expect(asked).toHaveLength(2);
    // Only the newest page is available; its figures are unaffected.
    const current = (line: string) => /_readiness_ratio\{/.test(line);
    expect(lines.filter(current).length).toBeGreaterThan(0);
    expect(right.lines.filter(current)).toEqual(expect.arrayContaining(lines.filter(current)));
  });

  test('null-numerators: skipped criteria count neither for nor against', async () => {
    const { story } = await readinessWith(['null-numerators']);
    const page = await story.page();
    const repos = Object.keys(page.by('repo', 'agent_platform_readiness_ratio'));
    expect(repos.length).toBe(12);
    for (const repo of repos) {
      const ratios = Object.values(
        page.by('criterion', 'agent_platform_readiness_criterion_ratio', { repo }),
      );
      const criteria = page.by('status', 'agent_platform_readiness_criteria', { repo });
      expect(criteria['skipped']).toBeGreaterThan(10);
      expect((criteria['passed'] ?? 0) + (criteria['partial'] ?? 0) + (criteria['failed'] ?? 0)).toBe(
        ratios.length,
      );
      const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length;
      expect(page.value('agent_platform_readiness_ratio', { repo })).toBeCloseTo(mean, 12);
    }
  });

  test('a listing that comes again changes nothing, and a new report is found, also after a restart', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'exporter-readiness-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const options = {
      sandbox: { repos: 12 },
      collectors: ['readiness'],
      flags: [`storage.path=${join(folder, 'history.db')}`],
    };
    const lines = async (story: Story) =>
      (await story.page()).platform().filter((line) => line.includes('_readiness_'));
    const first = await startStory(options);
    const before = await lines(first);
    await first.poll();
    expect(await lines(first)).toEqual(before);
    await first.stop();
    const second = await startStory({ ...options, begins: NOON + HOUR });
    expect(await lines(second)).toEqual(before);
    second.clock.advance(10 * DAY);
    expect(await second.poll()).toEqual([]);
    const right = await startStory({ ...options, flags: [], begins: NOON + HOUR + 10 * DAY });
    expect(await lines(second)).not.toEqual(before);
    const info = (line: string) => line.includes('_report_timestamp_seconds');
    expect((await lines(second)).filter(info)).toEqual((await lines(right)).filter(info));
  });
});
