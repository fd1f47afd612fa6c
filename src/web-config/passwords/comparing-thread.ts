import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';
import type { Question } from './comparing.ts';

parentPort?.on('message', ({ password, hash }: Question) => {
  parentPort?.postMessage(compareSync(password, hash));
});
