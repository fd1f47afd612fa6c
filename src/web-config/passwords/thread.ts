import { extname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts the password comparison thread; in the single executable, scripts/bundle/thread.ts replaces this module. */
export function startThread(options: WorkerOptions): Worker {
  return new Worker(new URL(`./comparing-thread${extname(import.meta.url)}`, import.meta.url), options);
}
