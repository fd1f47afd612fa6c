// The simulated platform with damaged and hostile answers, as a program: its flags are those of the `sandbox` command.
import { parseArgs } from 'node:util';
import type { Scenario } from '../../../src/sandbox/index.ts';
import { createFaultyPlatform } from './platform.ts';

const { values } = parseArgs({
  options: {
    'listen-address': { type: 'string', default: '127.0.0.1:0' },
    orgs: { type: 'string' },
    users: { type: 'string' },
    repos: { type: 'string' },
    days: { type: 'string' },
    scenario: { type: 'string', multiple: true },
    fault: { type: 'string', multiple: true },
  },
});
const { 'listen-address': address, fault: faults = [], scenario: scenarios = [], ...sizes } = values;
const platform = createFaultyPlatform({
  now: Date.now,
  faults,
  scenarios: scenarios as readonly Scenario[],
  ...Object.fromEntries(Object.entries(sizes).map(([name, value]) => [name, Number(value)])),
});
const [host = '', port] = address.split(':');
const { url } = await platform.listen({ host, port: Number(port) });
process.stdout.write(`The simulated platform listens on ${url}\n`);
process.once('SIGTERM', () => void platform.close());
