import { parentPort } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';
import type { Answer, Question } from './comparing.ts';

parentPort?.on('message', ({ id, password, hash }: Question) => {
  const answer: Answer = { id, matches: compareSync(password, hash) };
  parentPort?.postMessage(answer);
});
