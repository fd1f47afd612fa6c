import { existsSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Page } from '../e2e/page.ts';
import { waitFor } from '../support/wait-for.ts';
import { postEvents, SENDERS_TOKEN } from './hook-sender.ts';
import { KEY, pageOf, settledPage, startPlatform } from './platform.ts';
import { createPrograms, type Program, written } from './programs.ts';
import { requireTool } from './tools.ts';

// Errors that the kernel answers to a running exporter, whose system calls another program replaces.

const CALLS = 'pwrite64,ftruncate,fsync,fdatasync';

const programs = createPrograms();

/** `serve` with a hook intake and a store in a directory. */
async function startServe(
  folder: string,
  platform: string,
): Promise<{ readonly program: Program; readonly url: string }> {
  const storage = `--storage.path=${join(folder, 'history.db')}`;
  const program = programs.exporter(['serve', '--web.listen-address=127.0.0.1:0', storage], {
    AGENT_PLATFORM_API_BASE_URL: platform,
    AGENT_PLATFORM_API_KEY: KEY,
    AGENT_PLATFORM_ORG: 'acme',
    AGENT_PLATFORM_API_REQUESTS_PER_SECOND: '200',
    AGENT_PLATFORM_HOOKS_TOKEN: SENDERS_TOKEN,
    AGENT_PLATFORM_WEB_ENABLE_LIFECYCLE: 'true',
  });
  const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
  return { program, url: `http://127.0.0.1:${port}` };
}

/** From now on, writes to the files of a folder fail with an error, until the result is called. */
async function failWrites(program: Program, folder: string, error: string): Promise<() => Promise<void>> {
  const files = ['history.db', 'counts.db'].flatMap((name) => [name, `${name}-wal`]);
  const paths = files.map((name) => join(folder, name)).filter((file) => existsSync(file));
  const tracer = programs.start('strace', [
    ...['-f', '-p', String(program.pid), '-e', `trace=${CALLS}`],
    ...['-e', `inject=${CALLS}:error=${error}`, ...paths.flatMap((file) => ['-P', file])],
  ]);
  await written(tracer, 'stderr', /(attached)/);
  return async () => {
    tracer.send('SIGINT');
    await tracer.ended;
  };
}

/** What the page shows of the platform's data; hook events are counted meanwhile. */
function dataOf(page: Page): readonly string[] {
  return page.platform().filter((line) => !line.startsWith('agent_platform_hook_'));
}

describe.runIf(requireTool('strace'))('while the kernel answers each write to the store with', () => {
  test.each([
    ['EIO', 'an error of the device'],
    ['ENOSPC', 'that the disk is full'],
    ['EROFS', 'that the file system is read-only'],
  ])('%s, %s, the page stays and no event is acknowledged; afterwards all is stored', async (error) => {
    const platform = await startPlatform(programs);
    const folder = programs.folder();
    const { program, url } = await startServe(folder, platform.url);
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const send = (id: string) =>
      postEvents(url, agent, { id, hook_event_name: 'Stop', session_id: 'one', occurred_at: Date.now() });
    const before = await settledPage(url);
    expect(await send('before')).toBe(202);

    const heal = await failWrites(program, folder, error);
    expect(await send('during')).toBe(503);
    await fetch(`${url}/-/refresh`, { method: 'POST' });
    await waitFor(async () => {
      const page = await pageOf(url);
      expect(dataOf(page)).toEqual(dataOf(before));
      const failing = page.by('collector', 'agent_platform_exporter_collector_failing', { reason: 'store' });
      expect(Object.values(failing)).toContain(1);
    });
    await heal();

    await waitFor(async () => expect(await send('during')).toBe(202));
    await fetch(`${url}/-/refresh`, { method: 'POST' });
    await waitFor(async () => {
      const page = await pageOf(url);
      expect(page.by('collector', 'agent_platform_exporter_collector_failing')).not.toContain(1);
      expect(page.value('agent_platform_hook_events_total', { event: 'Stop' })).toBe(2);
    });
    expect(program.stderr()).not.toContain('damaged');
    program.send('SIGTERM');
    expect(await program.ended).toEqual({ code: 0, signal: null });

    const again = await startServe(folder, platform.url);
    const page = await settledPage(again.url);
    expect(dataOf(page)).toEqual(dataOf(before));
    expect(page.value('agent_platform_hook_events_total', { event: 'Stop' })).toBe(2);
  });
});
