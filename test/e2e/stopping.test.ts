import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const bin = fileURLToPath(new URL('../../bin/agent-platform-exporter.js', import.meta.url));
/** Work that never ends by itself, as of a stop that hangs. */
const HANGING = '--import=data:text/javascript,setInterval(()=>undefined,1e6)';

/** The real program, serving, with something in it that keeps it from ending; its platform answers nothing. */
async function startHanging() {
  const args = ['serve', '--web.listen-address=127.0.0.1:0', '--storage.path=:memory:'];
  const program = spawn(process.execPath, [HANGING, bin, ...args], {
    env: { AGENT_PLATFORM_API_BASE_URL: 'http://127.0.0.1:9', AGENT_PLATFORM_API_KEY: 'not-a-key' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void program.kill('SIGKILL'));
  let stderr = '';
  program.stderr.setEncoding('utf8');
  program.stderr.on('data', (text: string) => {
    stderr += text;
  });
  const said = async (text: string) => {
    while (!stderr.includes(text)) await once(program.stderr, 'data');
  };
  return { program, said, stderr: () => stderr };
}

test('SIGTERM ends a process that hangs, and it says so', { timeout: 60_000 }, async () => {
  const { program, said, stderr } = await startHanging();
  await said('Serving');
  program.kill('SIGTERM');
  expect(await once(program, 'close')).toEqual([143, null]);
  expect(stderr()).toContain('not stopped after 4.5 s, ended with work undone');
});

test('a second SIGTERM ends it at once', { timeout: 60_000 }, async () => {
  const { program, said, stderr } = await startHanging();
  await said('Serving');
  program.kill('SIGTERM');
  await said('Stopping');
  program.kill('SIGTERM');
  expect(await once(program, 'close')).toEqual([null, 'SIGTERM']);
  expect(stderr()).not.toContain('not stopped');
});
