import { afterAll, afterEach } from 'vitest';
import { forgetLogs, keptLogs } from './logs.ts';

afterEach(({ task }) => {
  if (task.result?.state !== 'fail') return;
  const logs = keptLogs();
  if (logs !== '') process.stderr.write(`\n--- ${task.name}\n${logs}\n`);
});

afterAll(forgetLogs);
