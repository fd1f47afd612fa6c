// Loaded before a program: writes what the program has used to its file descriptor 3 when it ends.
import { writeSync } from 'node:fs';
import type { Usage } from '../messages.ts';

const DESCRIPTOR = 3;

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  const peak = process.resourceUsage().maxRSS * 1024;
  writeSync(DESCRIPTOR, JSON.stringify({ cpuSeconds: (user + system) / 1e6, peak } satisfies Usage));
});
