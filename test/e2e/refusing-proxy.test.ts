import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { startProxy } from '../support/proxy.ts';
import { waitFor } from '../support/wait-for.ts';
import { createHome } from './hook-process.ts';

const bin = fileURLToPath(new URL('../../bin/agent-platform-exporter.js', import.meta.url));

/** Runs the program until it ends by itself; the proxy's name is P in its output. */
async function ranThrough(
  command: string,
  flags: readonly string[],
): Promise<{ code: unknown; output: string }> {
  const proxy = await startProxy(403);
  const folder = mkdtempSync(path.join(tmpdir(), 'refusing-proxy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const args = [bin, command, '--api.retries=0', ...flags];
  const env = {
    ...COMPILE_CACHE,
    HTTPS_PROXY: proxy.url,
    AGENT_PLATFORM_API_BASE_URL: 'https://api.test',
    AGENT_PLATFORM_API_KEY: 'not-a-key',
  };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env, cwd: folder, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const output = `${stdout}${stderr}`.replaceAll(proxy.name, 'P');
      resolve({ code: error?.code ?? 0, output });
    });
  });
}

// Each ends although the proxy keeps its connections open.
describe('behind a proxy that refuses each tunnel', () => {
  const memory = '--storage.path=:memory:';
  test.each([
    ['once', [memory]],
    ['estimate', []],
    [
      'export',
      [memory, '--output=usage.csv', '--history.start=2026-01-01', '--api.requests-per-second=1000'],
    ],
    ['backfill', [memory, '--output=files', '--history.start=2026-01-01', '--api.requests-per-second=1000']],
  ])('%s ends with the name of the proxy, without its credentials', async (command, flags) => {
    const { code, output } = await ranThrough(command, flags);
    expect(code).toBe(1);
    expect(output).toContain('the proxy P opened no tunnel to api.test:443: 403 Forbidden');
    expect(output).not.toContain('secret');
  });

  test.each([
    ['--test', /FAILED: the proxy P opened no tunnel to chat\.test:443: 403 Forbidden\n/],
    [
      '--flush',
      /the proxy P opened no tunnel to exporter\.test:443: 403 Forbidden\n0 of 1 spooled events sent, 1 left\n/,
    ],
  ])('hook %s does the same', async (flag, expected) => {
    const proxy = await startProxy(403);
    const home = createHome(
      'forward: {url: "https://exporter.test/agent/events", token_env: TOKEN}\nchannels: {chat: {type: slack, url_env: CHAT}}',
    );
    onTestFinished(() => home.remove());
    const environment = { HTTPS_PROXY: proxy.url, TOKEN: 't'.repeat(20), CHAT: 'https://chat.test/x' };
    const event = JSON.stringify({ hook_event_name: 'Stop', session_id: 's', cwd: '/' });
    expect(await home.run('hook', { input: event, environment })).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await home.run('hook', { args: [flag], environment });
    expect(code).toBe(1);
    expect(`${stderr}${stdout}`.replaceAll(proxy.name, 'P')).toMatch(expected);
    await waitFor(() => proxy.open() === 0, { seen: proxy.open });
  });
});
