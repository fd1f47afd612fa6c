import { describe, expect, test } from 'vitest';
import { rangeOf } from '../../src/backfill/range.ts';
import { collectors } from '../../src/collectors/index.ts';
import { chooseCollectors, loadForOrgs } from '../../src/commands/past.ts';
import { commands } from '../../src/commands/table.ts';
import { backfillOptions } from '../../src/config/command-options.ts';
import { loadValues } from '../../src/config/load.ts';
import { readRemoteWrite } from '../../src/config/remote-write.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { createContext } from './surroundings.ts';

const now = Date.parse('2026-06-10T12:00:00Z');
const environment = { AGENT_PLATFORM_API_BASE_URL: 'http://127.0.0.1:1', AGENT_PLATFORM_API_KEY: 'key' };
const options = await commands.find(({ name }) => name === 'backfill')?.options();

function contextOf(
  args: readonly string[],
  given: Readonly<Record<string, string>> = environment,
  files = {},
) {
  return createContext(options ?? {}, args, given, files).context;
}

async function valuesOf(args: readonly string[]) {
  return loadValues(backfillOptions, contextOf(args));
}

describe('--org', () => {
  const file = `orgs:
  - {name: acme, base_url: 'http://127.0.0.1:1', api_key_env: KEY}
  - {name: beta, base_url: 'http://127.0.0.1:1', api_key_env: KEY}
`;
  async function orgsOf(names: readonly string[], given: Readonly<Record<string, string>>) {
    const context = contextOf([...names.flatMap((name) => ['--org', name]), '--config.file=c.yml'], given, {
      'c.yml': 'AGENT_PLATFORM_API_KEY' in given ? '' : file,
    });
    const { config, configured } = await loadForOrgs(context, names);
    return [config.orgs.map(({ name }) => name), configured];
  }

  test('names the organization of flags and environment, as with serve', async () => {
    expect(await orgsOf(['acme'], environment)).toEqual([['acme'], 1]);
    expect(await orgsOf([], environment)).toEqual([['default'], 1]);
    expect(await orgsOf([], { ...environment, AGENT_PLATFORM_ORG: 'beta' })).toEqual([['beta'], 1]);
  });

  test('chooses among those of the file', async () => {
    expect(await orgsOf(['beta'], { KEY: 'k' })).toEqual([['beta'], 2]);
    expect(await orgsOf([], { KEY: 'k' })).toEqual([['acme', 'beta'], 2]);
    await expect(orgsOf(['bete'], { KEY: 'k' })).rejects.toMatchObject({
      message: '--org: unknown organization bete',
      hint: 'did you mean beta?',
    });
  });
});

describe('the range', () => {
  async function range(args: readonly string[]) {
    const { config } = await loadForOrgs(contextOf(args), []);
    return rangeOf(await valuesOf(args), config.history.start, now);
  }

  test('is everything that the live series has left behind, where nothing is given', async () => {
    expect(await range([])).toEqual({ from: '2026-01-14', to: '2026-06-08' });
    expect(await range(['--from=2026-02-01', '--to=2026-02-03'])).toEqual({
      from: '2026-02-01',
      to: '2026-02-03',
    });
  });
});

describe('the collectors', () => {
  async function chosen(args: readonly string[]) {
    const { config } = await loadForOrgs(contextOf(args), []);
    return chooseCollectors(config, (await valuesOf(args)).collector).map(({ name }) => name);
  }

  test('are those that run and have a past, or the ones named', async () => {
    const usual = collectors.filter(({ enabledByDefault, name }) => enabledByDefault && name !== 'wiki');
    expect(await chosen([])).toEqual(usual.map(({ name }) => name));
    expect(await chosen(['--no-collector.tokens'])).not.toContain('tokens');
    expect(await chosen(['--collector=tools', '--collector=tokens'])).toEqual(['tokens', 'tools']);
  });

  test.each([
    ['tokes', '--collector: unknown collector "tokes"'],
    ['wiki', '--collector: wiki cannot be backfilled'],
  ])('%s is refused', async (name, message) => {
    await expect(chosen([`--collector=${name}`])).rejects.toThrow(message);
  });
});

describe('where it goes', () => {
  async function secretsOf(args: readonly string[], files: Readonly<Record<string, string>> = {}) {
    return readRemoteWrite(await valuesOf(args), contextOf([], environment, files).files);
  }
  const url = '--remote-write.url=http://127.0.0.1:9090/api/v1/write';

  test.each([
    [[], 'no destination'],
    [['--output=out', url], '--output and --remote-write.url are both given'],
    [
      [url, '--remote-write.username=me'],
      '--remote-write.username and --remote-write.password-file must be given',
    ],
    [
      [url, '--remote-write.username=me', '--remote-write.bearer-token-file=t'],
      '--remote-write.bearer-token-file and --remote-write.username are both given',
    ],
    [[url, '--remote-write.tls-ca-file=none'], '--remote-write.tls-ca-file: none does not exist'],
    [
      [url, '--remote-write.tls-ca-file=ca'],
      '--remote-write.tls-ca-file: ca contains no certificate in PEM format',
    ],
    [[url, '--remote-write.bearer-token-file=none'], 'none does not exist'],
    [[url, '--remote-write.header-file=X-Api-Key: none'], 'none does not exist'],
  ])('%j is refused', async (args, message) => {
    await expect(secretsOf(args, { ca: 'text' })).rejects.toThrow(message);
  });

  const header = '--remote-write.header';

  test.each([
    [[`${header}=hushhush`], 'header 1 is not in the form "Name: value"'],
    [[`${header}=X-A: 1`, `${header}=hushhush`], 'header 2 is not in the form "Name: value"'],
    [[`${header}=X-A:`], 'header 1 is not in the form "Name: value"'],
    [[`${header}=: hushhush`], 'header 1 is not in the form "Name: value"'],
    [[`${header}=X A: hushhush`], 'header 1 is not in the form "Name: value"'],
    [[`${header}=X-A\r\nX-B: hushhush`], 'header 1 is not in the form "Name: value"'],
    [[`${header}=X-A: hushhush\r\nX-B: 1`], 'the value of X-A contains characters that are not allowed'],
    [[`${header}=X-A: hushhüsh`], 'the value of X-A contains characters that are not allowed'],
    [[`${header}=content-Type: hushhush`], '--remote-write.header: content-Type cannot be set'],
    [[`${header}=Content-Encoding: hushhush`], 'Content-Encoding cannot be set'],
    [[`${header}=Content-Length: 1`], 'Content-Length cannot be set'],
    [[`${header}=Host: hushhush`], 'Host cannot be set'],
    [[`${header}=Transfer-Encoding: chunked`], 'Transfer-Encoding cannot be set'],
    [[`${header}=Authorization: hushhush`], 'Authorization cannot be set'],
    [[`${header}=X-A: hushhush`, `${header}=x-a: 2`], '--remote-write.header: x-a is given twice'],
    [[`${header}=X-A: 1`, `${header}-file=x-a: secret`], '--remote-write.header-file: x-a is given twice'],
    [[`${header}-file=Authorization: secret`], '--remote-write.header-file: Authorization cannot be set'],
    [[`${header}-file=X-A: lines`], 'lines contains characters that are not allowed in a header'],
    [[`${header}-file=X-A: empty`], 'empty is empty'],
  ])('the header %j is refused, without its value', async (args, message) => {
    const files = { secret: 'hushhush', lines: 'hushhush\nhushhush', empty: '\n' };
    const refused = await secretsOf([url, ...args], files).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigError);
    expect(String(refused)).toContain(message);
    expect(`${refused} ${Reflect.get(Object(refused), 'hint')}`).not.toContain('hush');
  });

  test('headers are sent as given, secret ones as their files contain them', async () => {
    const args = [
      url,
      `${header}=X-Scope-OrgID: a|b`,
      `${header}=__proto__:1: 2`,
      `${header}-file=X-Api-Key: key`,
      '--remote-write.bearer-token-file=token',
    ];
    const secrets = await secretsOf(args, { key: 'Key with spaces\n', token: 'hushhush' });
    expect(Object.entries((await secrets?.headers()) ?? {})).toEqual([
      ['X-Scope-OrgID', 'a|b'],
      ['__proto__', '1: 2'],
      ['X-Api-Key', 'Key with spaces'],
      ['Authorization', 'Bearer hushhush'],
    ]);
    expect(secrets?.secrets()).toEqual(['Key with spaces', 'hushhush']);
  });

  test('what was acknowledged is known by tenant, so that each gets everything', async () => {
    const tenants = await Promise.all(
      [
        [],
        [`${header}=X-Scope-OrgID: one`],
        [`${header}=X-Scope-OrgID: two`],
        [`${header}-file=X-Scope-OrgID: one`],
        ['--remote-write.username=one', '--remote-write.password-file=one'],
        ['--remote-write.bearer-token-file=one'],
      ].map(async (args) => (await secretsOf([url, ...args], { one: 'secret' }))?.tenant),
    );
    expect(new Set(tenants).size).toBe(tenants.length);
    expect(tenants[0]).toBe('');
    for (const tenant of tenants.slice(1)) expect(tenant).toMatch(/^ [0-9a-f]{16}$/);
  });

  test('reads its secrets from files', async () => {
    const secrets = await secretsOf([url, '--remote-write.bearer-token-file=t'], { t: 'token\n' });
    expect(secrets?.secrets()).toEqual(['token']);
    expect(await secretsOf(['--output=out'])).toBeUndefined();
  });
});
