import { parentPort, workerData } from 'node:worker_threads';
import { check } from './check.ts';
import type { CheckAnswer, CheckQuestion } from './checking.ts';

parentPort?.postMessage(answerTo(workerData));

function answerTo({ path, isSuspect }: CheckQuestion): CheckAnswer {
  try {
    return { found: check(path, isSuspect) };
  } catch (error) {
    return { error, members: { ...(error as object) } };
  }
}
