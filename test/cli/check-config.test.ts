import { expect, test } from 'vitest';
import { run } from '../../src/commands/check-config.ts';
import { createOptions } from '../../src/config/options.ts';
import { createContext } from './surroundings.ts';

const yaml = `orgs:
  - {name: acme, base_url: "https://a.example", app_url: "http://w.example", api_key_file: /run/acme}
  - {name: local, base_url: "http://127.0.0.1:9890", api_key_env: LOCAL_KEY}
collectors: {wiki: {enabled: false}}
readiness: {branches: [trunk], clean_only: true, level_rule: bands}
web: {listen_address: "[::1]:9000"}
`;

test('a valid configuration is told in words, without a key', async () => {
  const { context, stdout } = createContext(
    createOptions([]),
    ['--config.file=c.yml'],
    { LOCAL_KEY: 'planted-one' },
    { 'c.yml': yaml, '/run/acme': 'planted-two\n' },
  );
  expect(await run(context)).toBe(0);
  const said = stdout();
  expect(said).not.toContain('planted');
  for (const part of [
    'The configuration is valid.',
    'web app      http://w.example  (not https: the key crosses the network in clear text)',
    'key from     /run/acme',
    'API          http://127.0.0.1:9890\n',
    'key from     LOCAL_KEY',
    'not running:   users, wiki',
    'analytics      20 * * * *',
    'main line trunk, clean reports only, level rule bands',
    '[::1]:9000/metrics, lifecycle off',
  ]) {
    expect(said).toContain(part);
  }
});

test('an invalid one is an error', async () => {
  const { context } = createContext(createOptions([]), []);
  await expect(run(context)).rejects.toThrow('no organization to poll');
});
