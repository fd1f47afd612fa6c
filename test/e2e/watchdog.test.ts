import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

test('a trial that hangs is named, and ends', async () => {
  const module = new URL('../support/watchdog.ts', import.meta.url).href;
  const script = `
    const { createWatchdog } = await import(${JSON.stringify(module)});
    const watchdog = createWatchdog('trials', 100);
    watchdog.begin(6);
    watchdog.begin(7);
    for (;;);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  expect(await once(child, 'close')).toEqual([null, 'SIGKILL']);
  expect(stderr).toMatch(/^trials: seed [67] has not ended after 0\.1 s\n$/);
});
