import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { takeOwnership } from '../../src/store/lock.ts';
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

/** The real program, serving; its platform never answers. */
function startServe(storagePath: string, ...nodeArguments: readonly string[]) {
  const args = ['serve', '--web.listen-address=127.0.0.1:0', `--storage.path=${storagePath}`];
  const program = spawn(process.execPath, [...nodeArguments, bin, ...args], {
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

/** With something in it that prevents it from ending. */
const startHanging = (patienceMs: number) => startServe(':memory:', hanging(patienceMs));

test('SIGTERM ends a process that hangs within five seconds, and it says so', async () => {
  const { program, said, stderr } = startHanging(5_000);
  await said('Serving');
  program.kill('SIGTERM');
  expect(await once(program, 'close')).toEqual([143, null]);
  expect(stderr()).toContain('not stopped within 4.5 s, exiting with unfinished work');
});

test('a second SIGTERM ends it at once', async () => {
  const { program, said, stderr } = startHanging(1_000);
  await said('Serving');
  program.kill('SIGTERM');
  await said('Stopping');
  program.kill('SIGTERM');
  expect(await once(program, 'close')).toEqual([null, 'SIGTERM']);
  expect(stderr()).not.toContain('not stopped');
});

test('SIGTERM ends a start at once that waits for the store of another process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'stopping-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'history.db');
  const lock = takeOwnership(file);
  onTestFinished(() => lock.release());
  const { program, said } = startServe(file);
  await said('Waiting for the store');
  program.kill('SIGTERM');
  expect(await once(program, 'close')).toEqual([null, 'SIGTERM']);
});
