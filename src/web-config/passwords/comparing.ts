import { Worker } from 'node:worker_threads';
import { comparingCode } from './comparing-code.ts';

/** Well above the needs of a comparison. */
const HEAP_MIB = 32;

/** A comparison; the thread answers each in turn with whether they match. */
export interface Question {
  readonly password: string;
  readonly hash: string;
}

/** Compares passwords with bcrypt hashes. */
export type Comparing = ReturnType<typeof createComparing>;

/**
 * Compares in a separate thread, one at a time and in order: a comparison takes from milliseconds to most of a second,
 * during which no scrape could be answered. The thread starts with the first comparison.
 */
export function createComparing() {
  /** The questions under way, oldest first. */
  let waiting: { resolve(matches: boolean): void; reject(error: Error): void }[] = [];
  let worker: Worker | undefined;

  function start(): Worker {
    const { code, eval: isText } = comparingCode();
    const started = new Worker(code, { eval: isText, resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
    started.unref();
    started.on('message', (matches: boolean) => {
      if (worker === started) waiting.shift()?.resolve(matches);
    });
    started.on('error', ended);
    started.on('exit', () => ended(new Error('the password comparison thread has exited')));
    function ended(error: Error): void {
      if (worker === started) failAll(error);
    }
    return started;
  }

  function failAll(error: Error): void {
    worker = undefined;
    for (const { reject } of waiting) reject(error);
    waiting = [];
  }

  return {
    compare(password: string, hash: string): Promise<boolean> {
      const question: Question = { password, hash };
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        worker ??= start();
        worker.postMessage(question);
      });
    },
    async close(): Promise<void> {
      await worker?.terminate();
    },
  };
}
