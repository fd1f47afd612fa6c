import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Page, readPage } from '../e2e/page.ts';
import { waitFor } from '../support/wait-for.ts';
import { startPlatform, startServe } from './platform.ts';
import { createPrograms } from './programs.ts';

const programs = createPrograms();

async function pageOf(url: string): Promise<Page> {
  return readPage(await (await fetch(`${url}/metrics`)).text());
}

test('a serve that was killed knows its days again, although the platform is down', async () => {
  const storage = `--storage.path=${join(programs.folder(), 'history.db')}`;
  const platform = await startPlatform(programs);
  const first = await startServe(programs, platform.url, [storage]);
  const before = await waitFor(async () => {
    const page = await pageOf(first.url);
    const success = page.by('collector', 'agent_platform_exporter_collector_success');
    expect(Object.values(success)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(page.value('agent_platform_history_uncovered', { dataset: 'tokens' })).toBe(0);
    return page;
  });
  first.program.send('SIGKILL');
  platform.program.send('SIGTERM');
  await Promise.all([first.program.ended, platform.program.ended]);

  const second = await startServe(programs, platform.url, [storage, '--api.retries=0']);
  const page = await waitFor(async () => {
    const now = await pageOf(second.url);
    expect(now.platform()).toEqual(before.platform());
    return now;
  });
  expect(page.value('agent_platform_daily_credits')).toBeGreaterThan(0);
  await waitFor(async () => {
    const failing = (await pageOf(second.url)).by('collector', 'agent_platform_exporter_collector_failing', {
      reason: 'network',
    });
    expect(Object.values(failing)).toEqual([1, 1, 1, 1, 1, 1]);
  });
});
