import { afterAll, afterEach, aroundEach } from 'vitest';
import { QUIET_SECONDS } from './limits.ts';
import { forgetLogs, keptLogs } from './logs.ts';
import { watchForQuiet } from './quiet.ts';

// A test that awaits what never comes, without `waitFor`.
if (QUIET_SECONDS !== Number.POSITIVE_INFINITY) {
  aroundEach(async (runTest) => {
    const watch = watchForQuiet();
    try {
      await Promise.race([runTest(), watch.quiet]);
    } finally {
      watch.stop();
    }
  });
}

afterEach(({ task }) => {
  if (task.result?.state !== 'fail') return;
  const logs = keptLogs();
  if (logs !== '') process.stderr.write(`\n--- ${task.name}\n${logs}\n`);
});

afterAll(forgetLogs);
