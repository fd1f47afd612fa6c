import { readFileSync } from 'node:fs';

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
