import { readdirSync, readFileSync } from 'node:fs';

/** The resident memory of a process of this machine (Linux) in bytes: now, and at most so far. */
export function memoryOf(pid: number | 'self'): { readonly resident: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return { resident: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/**
 * The peak resident memory of this process so far, in bytes. On Linux, `maxRSS` starts with the parent process's value;
 * the high-water mark of the address space does not.
 */
export function peakResident(): number {
  return process.platform === 'linux' ? memoryOf('self').peak : process.resourceUsage().maxRSS * 1024;
}

/** Clock ticks per second in `/proc` on Linux. */
const TICKS = 100;

/** The CPU seconds of a process of this machine (Linux) so far, all threads. */
export function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** The seconds that the present threads of a process (Linux) have run so far, exactly: ticks are too coarse for short loads. */
export function ranSecondsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ran = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return ran.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e9;
}

/** The seconds so far in which the main thread of a process (Linux) has run, or has waited for a core to run on. */
export function wantedSecondsOf(pid: number): number {
  const [ran, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return (Number(ran) + Number(waited)) / 1e9;
}
