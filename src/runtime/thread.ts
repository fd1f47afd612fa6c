import { Worker } from 'node:worker_threads';
import { type ThreadName, threadCode } from './thread-code.ts';

/** Well above the needs of any thread. */
const HEAP_MIB = 32;

/** Starts a thread of the program, which reads the data as `workerData`. */
export function startThread(name: ThreadName, workerData?: unknown): Worker {
  const { code, eval: isText } = threadCode(name);
  return new Worker(code, {
    eval: isText,
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
}
