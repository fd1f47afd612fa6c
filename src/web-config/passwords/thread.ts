import { extname } from 'node:path';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Starts the thread that compares passwords; in the single executable scripts/bundle/thread.ts takes its place. */
export function startThread(options: WorkerOptions): Worker {
  return new Worker(new URL(`./comparing-thread${extname(import.meta.url)}`, import.meta.url), options);
}
