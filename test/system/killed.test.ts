import { join } from 'node:path';
import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { KEY, pageOf, settledPage, startPlatform, startServe } from './platform.ts';
import { createPrograms, written } from './programs.ts';

const programs = createPrograms();

test('a serve that was killed still has its days, although the platform is down', async () => {
  const storage = `--storage.path=${join(programs.folder(), 'history.db')}`;
  const platform = await startPlatform(programs);
  const first = await startServe(programs, platform.url, [storage]);
  const before = await settledPage(first.url);
  first.program.send('SIGKILL');
  platform.program.send('SIGTERM');
  await Promise.all([first.program.ended, platform.program.ended]);

  const second = await startServe(programs, platform.url, [storage, '--api.retries=0']);
  const page = await waitFor(async () => {
    const now = await pageOf(second.url);
    expect(now.platform()).toEqual(before.platform());
    return now;
  });
  expect(page.value('agent_platform_daily_credits')).toBeDefined();
  await waitFor(async () => {
    const failing = (await pageOf(second.url)).by('collector', 'agent_platform_exporter_collector_failing', {
      reason: 'network',
    });
    expect(Object.values(failing)).toEqual([1, 1, 1, 1, 1, 1]);
  });
});

test('a serve that waits for the file of another has it once that one was killed', async () => {
  const file = join(programs.folder(), 'history.db');
  const platform = await startPlatform(programs);
  const first = await startServe(programs, platform.url, [`--storage.path=${file}`]);
  const before = await settledPage(first.url);
  const second = programs.exporter(['serve', '--web.listen-address=127.0.0.1:0', `--storage.path=${file}`], {
    AGENT_PLATFORM_API_BASE_URL: platform.url,
    AGENT_PLATFORM_API_KEY: KEY,
    AGENT_PLATFORM_ORG: 'acme',
  });
  const owner = await written(second, 'stderr', /Waiting for the store.* owner="(process \d+ on )/);
  expect(owner).toBe(`process ${first.program.pid} on `);
  first.program.send('SIGKILL');
  const port = await written(second, 'stderr', /msg=Serving .*\bport=(\d+)/);
  const page = await pageOf(`http://127.0.0.1:${port}`);
  expect(page.platform()).toEqual(before.platform());
  expect(page.value('agent_platform_exporter_history_persistent')).toBe(1);
});
