import { readdirSync } from 'node:fs';
import { memoryOf } from '../usage.ts';

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
  const heap = /^nodejs_heap_size_used_bytes (\S+)$/m.exec(page)?.[1];
  return {
    second,
    residentBytes: memoryOf(pid).resident,
    heapBytes: Number(heap),
    openFiles: readdirSync(`/proc/${pid}/fd`).length,
  };
}
