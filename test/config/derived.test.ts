import { expect, test } from 'vitest';
import { parseArguments } from '../../src/config/arguments.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createOptions } from '../../src/config/options.ts';
import { createFakeFiles } from '../support/fake-files.ts';

const collectors = [
  { name: 'tokens', description: 'Tokens', enabledByDefault: true },
  { name: 'spend', description: 'Spend', enabledByDefault: true, derivesFrom: 'tokens' },
];

test.each([
  [[], { tokens: true, spend: true }],
  [['--no-collector.spend'], { tokens: true, spend: false }],
  [['--no-collector.tokens'], { tokens: false, spend: false }],
  [['--no-collector.tokens', '--collector.spend'], { tokens: false, spend: false }],
])('a collector runs only with the one that it derives from: %j', async (args, running) => {
  const parsed = parseArguments(args, createOptions(collectors));
  const config = await loadConfig({
    flags: parsed.help ? new Map() : parsed.flags,
    environment: {},
    files: createFakeFiles(new Map()),
    collectors,
    organizations: 'ignored',
  });
  expect(Object.fromEntries(config.collectors)).toEqual(running);
});
