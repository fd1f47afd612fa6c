import type { Worker } from 'node:worker_threads';
import { startThread } from '../../runtime/thread.ts';

/** Compares passwords with bcrypt hashes. */
export interface Comparing {
  compare(password: string, hash: string): Promise<boolean>;
  close(): Promise<void>;
}

/** A comparison and its result. */
export interface Question {
  readonly id: number;
  readonly password: string;
  readonly hash: string;
}
export interface Answer {
  readonly id: number;
  readonly matches: boolean;
}

/**
 * Compares in a separate thread, one at a time and in order: a comparison takes from milliseconds to most of a second,
 * during which no scrape could be answered. The thread starts with the first comparison.
 */
export function createComparing(): Comparing {
  const waiting = new Map<number, { resolve(matches: boolean): void; reject(error: Error): void }>();
  let worker: Worker | undefined;
  let last = 0;

  function start(): Worker {
    const started = startThread('comparing');
    started.unref();
    started.on('message', ({ id, matches }: Answer) => {
      waiting.get(id)?.resolve(matches);
      waiting.delete(id);
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
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  }

  return {
    compare(password, hash) {
      last += 1;
      const question: Question = { id: last, password, hash };
      return new Promise((resolve, reject) => {
        waiting.set(question.id, { resolve, reject });
        worker ??= start();
        worker.postMessage(question);
      });
    },
    async close() {
      await worker?.terminate();
    },
  };
}
