import { readdirSync, readFileSync } from 'node:fs';

/** The resource usage of the process at one moment. */
export interface Sample {
  /** Seconds since the start of the soak test. */
  readonly second: number;
  readonly residentBytes: number;
  /** Used bytes of the JavaScript heap. */
  readonly heapBytes: number;
  readonly openFiles: number;
}

/** Measures a process of this machine (Linux); the heap usage is read from its page. */
export function takeSample(pid: number, second: number, page: string): Sample {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const heap = /^nodejs_heap_size_used_bytes (\S+)$/m.exec(page)?.[1];
  return {
    second,
    residentBytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024,
    heapBytes: Number(heap),
    openFiles: readdirSync(`/proc/${pid}/fd`).length,
  };
}
