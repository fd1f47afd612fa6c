import { readFileSync } from 'node:fs';

/**
 * The peak resident memory of this process so far, in bytes. On Linux, `maxRSS` starts with the parent process's value;
 * the high-water mark of the address space does not.
 */
export function peakResident(): number {
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  return Number(kibibytes ?? process.resourceUsage().maxRSS) * 1024;
}
