import { Worker } from 'node:worker_threads';
import { WAIT_LIMIT_MS } from './limits.ts';

/** Watches a loop of trials from another thread, because a hanging trial blocks every timer of its own thread. */
interface Watchdog {
  /** Announces the next trial, by the number that reproduces it. */
  begin(seed: number): void;
  stop(): Promise<unknown>;
}

/** No trial has begun, so that there is nothing to limit. */
const NONE = -1;

// `Atomics.wait` returns early if the number changed before; otherwise the trial has used up its time.
const WATCH = `
  const { workerData: { state, limitMs, name } } = require('node:worker_threads');
  const { writeSync } = require('node:fs');
  const numbers = new Int32Array(state);
  Atomics.wait(numbers, 0, ${NONE});
  for (;;) {
    const seed = Atomics.load(numbers, 0);
    if (Atomics.wait(numbers, 0, seed, limitMs) !== 'timed-out') continue;
    writeSync(2, name + ': seed ' + seed + ' has not ended after ' + limitMs / 1000 + ' s\\n');
    process.kill(process.pid, 'SIGKILL');
  }`;

/** Starts watching; a trial that takes longer than the limit of a wait is reported, and ends the process. */
export function createWatchdog(name: string, limitMs = WAIT_LIMIT_MS): Watchdog {
  const state = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const numbers = new Int32Array(state).fill(NONE);
  const worker = new Worker(WATCH, { eval: true, execArgv: [], workerData: { state, limitMs, name } });
  worker.unref();
  return {
    begin(seed) {
      Atomics.store(numbers, 0, seed);
      Atomics.notify(numbers, 0);
    },
    stop: () => worker.terminate(),
  };
}
