import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { wasQuietForSecond } from './quiet.ts';
import { waitFor } from './wait-for.ts';

test('a second is quiet if nothing runs in it, and not while a program that was started does, or waits to', async () => {
  await waitFor(wasQuietForSecond);
  const loop = spawn(process.execPath, ['--eval', 'console.log(); for (;;);'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void loop.kill('SIGKILL'));
  await once(loop.stdout, 'data');
  expect(await wasQuietForSecond()).toBe(false);
});
