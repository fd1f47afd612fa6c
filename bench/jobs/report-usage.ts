// Preloaded into a program: writes its resource usage to file descriptor 3 when it exits.
import { writeSync } from 'node:fs';
import type { Usage } from '../messages.ts';
import { peakResident } from '../usage.ts';

const DESCRIPTOR = 3;

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(
    DESCRIPTOR,
    JSON.stringify({ cpuSeconds: (user + system) / 1e6, peak: peakResident() } satisfies Usage),
  );
});
