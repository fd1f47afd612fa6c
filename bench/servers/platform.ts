// The simulated platform, which counts its requests and its time.
import { createServer } from 'node:http';
import { createSystemClock } from '../../src/runtime/clock.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { PlatformUsage } from '../messages.ts';
import { answerQuestions, listenAndSay } from './process.ts';

const [, , options = '{}'] = process.argv;
const { handler } = createSandbox({ now: createSystemClock().now, ...JSON.parse(options) });
let requests = 0;

answerQuestions(async (): Promise<PlatformUsage> => {
  const { user, system } = process.cpuUsage();
  return { cpuSeconds: (user + system) / 1e6, requests };
});
listenAndSay(
  createServer((request, response) => {
    requests++;
    handler(request, response);
  }),
);
