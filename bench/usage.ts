import { readdirSync, readFileSync } from 'node:fs';

/** The resident memory of a process of this machine (Linux) in bytes: now, and at most so far. */
export function memoryOf(pid: number): { readonly resident: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return { resident: bytes('VmRSS'), peak: bytes('VmHWM') };
}

/** Clock ticks per second in `/proc` on Linux. */
const TICKS = 100;

/** The CPU seconds of a process of this machine (Linux) so far, all threads. */
export function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** The seconds so far in which the main thread of a process (Linux) waited for a core, although it had something to do. */
export function waitedSecondsOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e9;
}

/** The seconds that the present threads of a process (Linux) have run so far, exactly: ticks are too coarse for short loads. */
export function ranSecondsOf(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const ran = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return ran.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e9;
}
