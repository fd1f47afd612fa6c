import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';

const run = promisify(execFile);

test.runIf(process.platform === 'linux')('a red run prints the log, and leaves no process', async () => {
  const args = ['node_modules/vitest/vitest.mjs', '--config=test/e2e/red-run/vitest.config.ts', '--root=.'];
  const env = { ...process.env, TEST_ENDING_MS: '0', CI: 'true' };
  const { code, stdout, stderr } = await run(process.execPath, args, { env }).catch((error) => error);
  expect(code).toBe(1);
  expect(stderr).toContain('--- log of the program (1)\nit runs as ');
  const pid = /it runs as (\d+)/.exec(stderr)?.[1];
  expect(stdout + stderr).toContain(`left running: ${pid} `);
  await waitFor(() => commandOf(pid) === '', { what: 'the program has ended', seen: () => commandOf(pid) });
});

/** The command line of a process; empty if it has exited, even if its parent has not noticed yet. */
function commandOf(pid = ''): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
