// Replaces src/web-config/passwords/thread.ts in the single executable, where the thread's code is an asset.
import { getAsset } from 'node:sea';
import { Worker, type WorkerOptions } from 'node:worker_threads';

export function startThread(options: WorkerOptions): Worker {
  return new Worker(getAsset('thread.js', 'utf8'), { ...options, eval: true });
}
