import { describe, expect, test } from 'vitest';
import { run } from '../../src/commands/check-config.ts';
import { createOptions } from '../../src/config/options.ts';
import { createContext } from './surroundings.ts';

const yaml = `orgs:
  - {name: acme, base_url: "https://a.example", app_url: "http://w.example", api_key_file: /run/acme}
  - {name: local, base_url: "http://127.0.0.1:9890/api/v1", api_key_env: LOCAL_KEY}
collectors: {wiki: {enabled: false}}
readiness: {branches: [trunk], clean_only: true, level_rule: bands}
web: {listen_address: "[::1]:9000"}
`;

test('a valid configuration is described in words, without a key', async () => {
  const { context, stdout } = createContext(
    createOptions([]),
    ['--config.file=c.yml', '--teams.file=t.csv'],
    { LOCAL_KEY: 'planted-one' },
    { 'c.yml': yaml, '/run/acme': 'planted-two\n', 't.csv': 'a,x\nb,x\nc,x\nd,x\ne,x\nf,y\n,x,5\n' },
  );
  expect(await run(context)).toBe(0);
  const said = stdout();
  expect(said).not.toContain('planted');
  for (const part of [
    'The configuration is valid.',
    'web app      http://w.example  (not HTTPS: the key crosses the network in clear text)',
    'key from     /run/acme',
    'API          http://127.0.0.1:9890/api/v1  (requests would go to /api/v1/api/v1/…: leave out /api/v1)',
    'key from     LOCAL_KEY',
    'not identified, 2 teams (1 with a budget) from t.csv',
    'disabled:      users, wiki',
    'analytics      20 * * * *',
    'main branch trunk, clean reports only, level rule bands',
    '[::1]:9000/metrics, lifecycle off',
  ]) {
    expect(said).toContain(part);
  }
});

test('an organization is shown with its account or kind, and with the pace of its platform', async () => {
  const { context, stdout } = createContext(
    createOptions([]),
    ['--config.file=c.yml'],
    {},
    {
      'c.yml': `orgs:
  - {name: acme, base_url: "https://a.example", api_key_file: /k}
  - {name: octo, platform: copilot, account: octo-org, api_key_file: /k}
  - {name: claude, platform: claude, api_key_file: /k}
`,
      '/k': 'k\n',
    },
  );
  expect(await run(context)).toBe(0);
  expect(stdout().match(/^ {4}(?:platform|account|kind|requests) .*$/gm)).toEqual([
    '    platform     GitHub Copilot',
    '    account      octo-org',
    '    requests     at most 900 a minute',
    '    platform     Claude',
    '    kind         console',
    '    requests     at most 60 a minute',
  ]);
});

test.each([
  ['5 EUR', 1],
  ['5 USD', 0],
  ['5', 0],
])('a budget of %s for a team is said to limit nothing where that is so', async (budget, count) => {
  const prices = '[{from: 2026-01-01, currency: USD, per_million_credits: 3}]';
  const { context, stdout } = createContext(
    createOptions([]),
    ['--config.file=c.yml', '--teams.file=t.csv'],
    {},
    {
      'c.yml': `orgs: [{name: acme, base_url: "https://a.example", api_key_file: /run/acme, prices: ${prices}}]\n`,
      '/run/acme': 'k\n',
      't.csv': `a,x\nb,x\nc,x\nd,x\ne,x\n,x,${budget}\n`,
    },
  );
  expect(await run(context)).toBe(0);
  expect(stdout().split('budgets of x limit nothing')).toHaveLength(count + 1);
});

test('an invalid one is an error', async () => {
  const { context } = createContext(createOptions([]), []);
  await expect(run(context)).rejects.toThrow('no organization to poll');
});

describe('with a web configuration file', () => {
  const check = (web: string) => {
    const { context, stdout } = createContext(
      createOptions([]),
      ['--config.file=c.yml', '--web.config.file=web.yml', '--web.open-health'],
      { LOCAL_KEY: 'k' },
      { 'c.yml': yaml, '/run/acme': 'k', 'web.yml': web },
    );
    return { ran: run(context), stdout };
  };

  test('says what it means, without a hash', async () => {
    const hash = `$2y$10$${'a'.repeat(53)}`;
    const { ran, stdout } = check(
      `basic_auth_users: {alice: ${hash}}\nrate_limit: {interval: 1s, burst: 5}\n`,
    );
    expect(await ran).toBe(0);
    const said = stdout();
    expect(said).not.toContain('$2y$');
    for (const part of [
      'plain HTTP',
      'basic authentication, users: alice',
      'clear text',
      'one request per 1000 ms, burst 5',
      '/-/healthy and /-/ready require no authentication',
    ]) {
      expect(said).toContain(part);
    }
  });

  test('refuses what serve would refuse', async () => {
    await expect(check('tls_server_config: {cert_file: x.crt, key_file: x.key}\n').ran).rejects.toThrow(
      /^web.yml:1: tls_server_config.cert_file: \/.*x.crt does not exist$/,
    );
  });
});
