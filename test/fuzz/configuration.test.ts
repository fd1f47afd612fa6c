import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'vitest';
import { collectors } from '../../src/collectors/index.ts';
import { loadConfig } from '../../src/config/load.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { mutatedText } from './mutations.ts';
import { drawn } from './random.ts';
import { tryAll } from './trial.ts';

const CASES = path.resolve(import.meta.dirname, '../config/cases');
const KEY = 'planted-key-in-a-file-0123456789';

test('whatever a configuration file contains, it is parsed or rejected in one line', async () => {
  const [first = '', ...rest] = globSync('*.yml', { cwd: CASES }).map((name) =>
    readFileSync(path.join(CASES, name), 'utf8'),
  );
  await tryAll({
    seeds: 12_000,
    secrets: [KEY],
    isForeseen: (error) => error instanceof ConfigError,
    async run(random) {
      const text = mutatedText(drawn([first, ...rest], random), random);
      const files = createFakeFiles(
        new Map([
          ['exporter.yml', text],
          ['acme.key', KEY],
        ]),
      );
      const flags = new Map([['config.file', { texts: ['exporter.yml'], origin: '--config.file' }]]);
      const environment = { ACME_KEY: KEY, AGENT_PLATFORM_API_KEY: KEY };
      const config = await loadConfig({ flags, environment, files, collectors });
      return JSON.stringify({ ...config, orgs: config.orgs.map(({ name, baseUrl }) => ({ name, baseUrl })) });
    },
  });
});
