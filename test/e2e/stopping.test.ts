import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { keepLog } from '../support/logs.ts';
import { waitFor } from '../support/wait-for.ts';

const bin = fileURLToPath(new URL('../../bin/agent-platform-exporter.js', import.meta.url));
/**
 * Work that never ends by itself, as when a stop hangs. After the first SIGTERM, timers shorter than `patienceMs` fire at
 * once, and longer ones never: no operator waits longer for a process to stop.
 */
function hanging(patienceMs: number): string {
  const script = `
    setInterval(() => undefined, 1e6);
    const set = setTimeout;
    process.once('SIGTERM', () => {
      globalThis.setTimeout = (run, ms, ...args) => set(run, ms < ${patienceMs} ? 0 : 2 ** 31 - 1, ...args);
    });`;
  return `--import=data:text/javascript,${encodeURIComponent(script)}`;
}

/** The real program, serving, with something in it that prevents it from ending; its platform never answers. */
async function startHanging(patienceMs: number) {
  const args = ['serve', '--web.listen-address=127.0.0.1:0', '--storage.path=:memory:'];
  const program = spawn(process.execPath, [hanging(patienceMs), bin, ...args], {
    env: {
      ...COMPILE_CACHE,
      AGENT_PLATFORM_API_BASE_URL: 'http://127.0.0.1:9',
      AGENT_PLATFORM_API_KEY: 'not-a-key',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void program.kill('SIGKILL'));
  let stderr = '';
  keepLog('serve', () => stderr);
  program.stderr.setEncoding('utf8');
  program.stderr.on('data', (text: string) => {
    stderr += text;
  });
  const said = (text: string) =>
    waitFor(() => stderr.includes(text), { what: `the log says ${text}`, seen: () => stderr.slice(-500) });
  return { program, said, stderr: () => stderr };
}

test('SIGTERM ends a process that hangs within five seconds, and it says so', async () => {
  const { program, said, stderr } = await startHanging(5_000);
  await said('Serving');
  program.kill('SIGTERM');
  expect(await once(program, 'close')).toEqual([143, null]);
  expect(stderr()).toContain('not stopped within 4.5 s, exiting with unfinished work');
});

test('a second SIGTERM ends it at once', async () => {
  const { program, said, stderr } = await startHanging(1_000);
  await said('Serving');
  program.kill('SIGTERM');
  await said('Stopping');
  program.kill('SIGTERM');
  expect(await once(program, 'close')).toEqual([null, 'SIGTERM']);
  expect(stderr()).not.toContain('not stopped');
});
