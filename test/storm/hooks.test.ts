import { type ChildProcess, spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { createHome } from '../e2e/hook-process.ts';
import { readPage } from '../e2e/page.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { TEST_LIMIT_MS } from '../support/limits.ts';

const HOOKS = 100;
const AT_A_TIME = 60;
const LOWEST_PRIORITY = 19;
const bin = fileURLToPath(new URL('../../bin/agent-platform-exporter.js', import.meta.url));

/** Starts a process that is stopped after the test. */
function started(args: readonly string[], environment: Readonly<Record<string, string>> = {}): ChildProcess {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env['PATH'] ?? '', ...COMPILE_CACHE, ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** The exporter on a free port. */
async function startExporter(): Promise<string> {
  const child = started([bin, 'demo', '--web.listen-address=127.0.0.1:0'], {
    AGENT_PLATFORM_HOOKS_TOKEN: 'hook-token',
  });
  let said = '';
  for await (const text of child.stdout ?? []) {
    said += String(text);
    const url = /^ *metrics +(http:\S+)\/metrics$/m.exec(said)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`the exporter exited: ${said}`);
}

// What runs at the lowest priority beside busy processes takes as long as these leave nothing over.
const limit = 4 * TEST_LIMIT_MS;

test('each event of CPU-starved hooks is counted exactly once', { timeout: limit }, async () => {
  for (const _ of [1, 2]) started(['--eval', 'for (;;) {}']);
  const exporter = await startExporter();
  const home = createHome(`forward: {url: "${exporter}", token_env: TOKEN, timeout: 30s}\n`);
  onTestFinished(home.remove);
  const environment = { TOKEN: 'hook-token' };
  const waiting = Array.from({ length: HOOKS }, (_, nth) => nth);

  async function send(): Promise<void> {
    for (let nth = waiting.pop(); nth !== undefined; nth = waiting.pop()) {
      const input = JSON.stringify({ hook_event_name: 'Stop', session_id: `s${nth}` });
      const ran = await home.run('hook', {
        input,
        environment,
        started: (child) => setPriority(child.pid ?? 0, LOWEST_PRIORITY),
      });
      expect(ran).toMatchObject({ code: 0, signal: null, stdout: '', stderr: '' });
    }
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, send));
  // Events that the exporter did not answer in time are sent again.
  let left: number | null = null;
  while (left !== 0) left = (await home.run('hook', { args: ['--flush'], environment })).code;

  const page = await (await fetch(`${exporter}/metrics`)).text();
  expect(readPage(page).by('event', 'agent_platform_hook_events_total')).toMatchObject({ Stop: HOOKS });
});
