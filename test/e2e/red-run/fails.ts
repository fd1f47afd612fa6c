import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { keepLog } from '../../support/logs.ts';

test('fails, and leaves behind a process whose parent has ended', async () => {
  // The shell exits at once, so that the program becomes an orphan.
  const program = '"$0" --eval "console.log(process.pid); setInterval(() => undefined, 1e6)" &';
  const shell = spawn('sh', ['-c', program, process.execPath]);
  const exited = once(shell, 'exit');
  let said = '';
  await new Promise<void>((resolve) => {
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      resolve();
    });
  });
  await exited;
  keepLog('the program', () => `it runs as ${said}`);
  expect('red').toBe('green');
});
