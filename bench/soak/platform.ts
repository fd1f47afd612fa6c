// The simulated platform of the soak test, which counts its answers and changes its faults on request.
import { createServer } from 'node:http';
import { createFaultyPlatform } from '../../test/client/faulty/platform.ts';
import { listenForParent, serverOptions } from '../servers/serve.ts';

/** The faults from now on; answered with `PlatformAnswers`. */
export interface Faults {
  readonly faults: readonly string[];
}

/** The platform's answers so far by status; 0 if it closed the connection. */
export type PlatformAnswers = readonly (readonly [status: number, count: number])[];

const world = serverOptions<{ readonly orgs: number; readonly users: number; readonly repos: number }>();
const { handler, setFaults } = createFaultyPlatform({ now: Date.now, ...world });
const answers = new Map<number, number>();

process.on('message', ({ faults }: Faults) => {
  setFaults(faults);
  process.send?.([...answers] satisfies PlatformAnswers);
});
listenForParent(
  createServer((request, response) => {
    response.once('close', () => {
      const status = response.headersSent ? response.statusCode : 0;
      answers.set(status, (answers.get(status) ?? 0) + 1);
    });
    handler(request, response);
  }),
);
