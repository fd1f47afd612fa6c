// The simulated platform of the soak test, which counts its answers and changes its faults on request.
import { createServer } from 'node:http';
import { createSystemClock } from '../../src/runtime/clock.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { PlatformAnswers } from '../messages.ts';
import { answerQuestions, listenAndSay } from './process.ts';

const [, , options = '{}'] = process.argv;
const { handler, setFaults } = createSandbox({ now: createSystemClock().now, ...JSON.parse(options) });
const answers = new Map<number, number>();

answerQuestions(async (question): Promise<PlatformAnswers> => {
  if (question.kind === 'faults') setFaults(question.faults);
  return [...answers];
});
listenAndSay(
  createServer((request, response) => {
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : 0;
      answers.set(status, (answers.get(status) ?? 0) + 1);
    });
    handler(request, response);
  }),
);
