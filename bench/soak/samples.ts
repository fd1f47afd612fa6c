import { readdirSync, readFileSync } from 'node:fs';

/** What the process uses at one moment. */
export interface Sample {
  /** Seconds since the soak began. */
  readonly second: number;
  readonly residentBytes: number;
  /** Of its JavaScript heap. */
  readonly heapBytes: number;
  readonly openFiles: number;
}

/** Reads a process of this machine (Linux) and what its page says of its heap. */
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
