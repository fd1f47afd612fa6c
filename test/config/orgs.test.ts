import { describe, expect, test } from 'vitest';
import { labelValue } from '../../src/catalog/label.ts';
import type { Given } from './loading.ts';
import { configErrorOf, load } from './loading.ts';

const address = '--api.base-url=https://api.example.com';
const yaml = `orgs:
  - {name: acme, base_url: "https://a.example/", app_url: "https://w.example", api_key_file: keys/acme}
  - {name: globex, base_url: "https://g.example", api_key_env: GLOBEX_KEY}
`;

async function orgsOf(given: Given): Promise<readonly unknown[]> {
  const { orgs } = await load({ ...given, organizations: 'required' });
  return Promise.all(
    orgs.map(async ({ credential, platform, linkHosts: _, ...org }) => ({
      ...org,
      platform: platform.name,
      key: await credential.read(),
      from: credential.describe(),
    })),
  );
}

function refusal(given: Given): Promise<{ message: string; hint: string | undefined }> {
  return configErrorOf(() => load({ ...given, organizations: 'required' }));
}

describe('one organization by flags and environment', () => {
  test('is named default, and its web app is the API host', async () => {
    expect(await orgsOf({ args: [address], environment: { AGENT_PLATFORM_API_KEY: 'k\n' } })).toEqual([
      {
        name: 'default',
        platform: 'agent-platform',
        baseUrl: 'https://api.example.com',
        appUrl: 'https://api.example.com',
        key: 'k',
        from: 'AGENT_PLATFORM_API_KEY',
      },
    ]);
  });

  test('has the name and web app that are given, and its key from a file', async () => {
    const environment = {
      AGENT_PLATFORM_ORG: 'acme',
      AGENT_PLATFORM_API_BASE_URL: 'https://a.example',
      AGENT_PLATFORM_API_APP_URL: 'https://w.example',
      AGENT_PLATFORM_API_KEY_FILE: '/run/key',
    };
    expect(await orgsOf({ environment, files: { '/run/key': 'k\r\n' } })).toEqual([
      {
        name: 'acme',
        platform: 'agent-platform',
        baseUrl: 'https://a.example',
        appUrl: 'https://w.example',
        key: 'k',
        from: '/run/key (AGENT_PLATFORM_API_KEY_FILE)',
      },
    ]);
  });
});

describe('organizations of the file', () => {
  const given = {
    args: ['--config.file=/etc/exporter/c.yml'],
    files: { '/etc/exporter/c.yml': yaml, '/etc/exporter/keys/acme': 'first' },
    environment: { GLOBEX_KEY: 'second' },
  };
  const own = { AGENT_PLATFORM_API_KEY: 'third', AGENT_PLATFORM_API_BASE_URL: 'https://o.example' };

  test('keep their order; a relative key file starts at the directory of the file', async () => {
    expect(await orgsOf(given)).toEqual([
      {
        name: 'acme',
        platform: 'agent-platform',
        baseUrl: 'https://a.example',
        appUrl: 'https://w.example',
        key: 'first',
        from: '/etc/exporter/keys/acme',
      },
      {
        name: 'globex',
        platform: 'agent-platform',
        baseUrl: 'https://g.example',
        appUrl: 'https://g.example',
        key: 'second',
        from: 'GLOBEX_KEY',
      },
    ]);
  });

  test('may be led to the hosts of their platform where these are public, and to named ones anywhere', async () => {
    const text =
      'orgs: [{name: a, platform: copilot, account: octo, link_hosts: [files.internal], api_key_env: K}]';
    const { orgs } = await load({
      ...{ args: given.args, files: { '/etc/exporter/c.yml': text }, environment: { K: 'k' } },
      organizations: 'required',
    });
    const [named, ...others] = orgs[0]?.linkHosts?.toReversed() ?? [];
    expect(named).toBe('files.internal');
    expect(others).toContain('.copilot-reports.github.com');
    // With a dot, a private address is refused.
    expect(others.filter((host) => !host.startsWith('.'))).toEqual([]);
  });

  test('are on their platform as the kind that they are, the first one by default', async () => {
    const text = `orgs:
  - {name: a, platform: claude, api_key_env: K}
  - {name: b, platform: claude, kind: enterprise, api_key_env: K}`;
    const { orgs } = await load({
      ...{ args: given.args, files: { '/etc/exporter/c.yml': text }, environment: { K: 'k' } },
      organizations: 'required',
    });
    expect(orgs.map(({ kind, platform }) => [kind, 'tools' in platform.readers])).toEqual([
      ['console', false],
      ['enterprise', true],
    ]);
  });

  test('are joined by the one of flags and environment', async () => {
    const orgs = await orgsOf({ ...given, environment: { ...given.environment, ...own } });
    expect(orgs).toHaveLength(3);
    expect(orgs[2]).toMatchObject({ name: 'default', key: 'third' });
  });

  test('have names in normal form C, so that one name is one organization', async () => {
    const environment = { ...given.environment, ...own, AGENT_PLATFORM_ORG: 'Mu\u0308ller' };
    expect(await orgsOf({ ...given, environment })).toMatchObject([{}, {}, { name: 'M\u00fcller' }]);
    const files = { ...given.files, '/etc/exporter/c.yml': yaml.replace('globex', 'M\u00fcller') };
    expect((await refusal({ ...given, files, environment })).message).toBe(
      'the organization M\u00fcller is configured by the file and by --api.base-url',
    );
    const decomposed = { ...given.files, '/etc/exporter/c.yml': yaml.replace('globex', 'Mu\u0308ller') };
    expect(await orgsOf({ ...given, files: decomposed })).toMatchObject([{}, { name: 'M\u00fcller' }]);
  });

  test('must not have its name', async () => {
    const environment = { ...given.environment, ...own, AGENT_PLATFORM_ORG: 'acme' };
    expect(await refusal({ ...given, environment })).toEqual({
      message: 'the organization acme is configured by the file and by --api.base-url',
      hint: 'remove one of them, or give the second one another name with --org',
    });
  });

  test.each([
    ['', '/etc/exporter/c.yml:2: orgs[0]: api_key_file /etc/exporter/keys/acme is empty'],
    [
      'two words',
      '/etc/exporter/c.yml:2: orgs[0]: api_key_file /etc/exporter/keys/acme contains a key with white space',
    ],
  ])('with the key %j are refused', async (key, message) => {
    const files = { ...given.files, '/etc/exporter/keys/acme': key };
    expect((await refusal({ ...given, files })).message).toBe(message);
  });

  test('and keys are not read if they are ignored', async () => {
    const config = await load({ ...given, files: { '/etc/exporter/c.yml': yaml }, organizations: 'ignored' });
    expect(config.orgs).toEqual([]);
  });
});

test('the identifier of an organization is a label value, as answers and the store have it', async () => {
  for (const id of ['org_1', `org_${'x'.repeat(300)}`, 'org_\u200b1']) {
    const { orgs } = await load({
      organizations: 'required',
      args: [address, `--api.org-id= ${id} `, '--config.file=/c.yml'],
      environment: { AGENT_PLATFORM_API_KEY: 'k', ACME_KEY: 'k' },
      files: {
        '/c.yml': `orgs: [{name: acme, base_url: "https://a.example", api_key_env: ACME_KEY, org_id: ${JSON.stringify(id)}}]`,
      },
    });
    expect(orgs.map(({ orgId }) => orgId)).toEqual([labelValue(id), labelValue(id)]);
  }
});

describe('an incomplete organization is rejected', () => {
  test.each<[Given, string, string]>([
    [
      { environment: { AGENT_PLATFORM_API_KEY: 'k' } },
      'AGENT_PLATFORM_API_KEY is set, but no API address',
      'set AGENT_PLATFORM_API_BASE_URL or --api.base-url',
    ],
    [
      { environment: { AGENT_PLATFORM_API_KEY_FILE: 'k' } },
      'AGENT_PLATFORM_API_KEY_FILE is set, but no API address',
      'set AGENT_PLATFORM_API_BASE_URL or --api.base-url',
    ],
    [
      { args: ['--api.app-url=https://w.example'] },
      '--api.app-url is set, but no API address',
      'set AGENT_PLATFORM_API_BASE_URL or --api.base-url',
    ],
    [
      { args: ['--api.account=octo'] },
      '--api.account is set, but no API address',
      'set AGENT_PLATFORM_API_BASE_URL or --api.base-url',
    ],
    [
      { args: [address], environment: { AGENT_PLATFORM_API_KEY: '' } },
      'an API address is set, but no key',
      'set AGENT_PLATFORM_API_KEY or AGENT_PLATFORM_API_KEY_FILE, or try the exporter without a key: agent-platform-exporter demo',
    ],
    [
      { args: [address], environment: { AGENT_PLATFORM_API_KEY: 'k', AGENT_PLATFORM_API_KEY_FILE: 'f' } },
      'AGENT_PLATFORM_API_KEY and AGENT_PLATFORM_API_KEY_FILE are both set',
      'set only one of them',
    ],
  ])('%j', async (given, message, hint) => {
    expect(await refusal(given)).toEqual({ message, hint });
  });

  test.each([
    ['with space', 'AGENT_PLATFORM_API_KEY contains a key with white space'],
    ['sch\u00f6n', 'AGENT_PLATFORM_API_KEY contains a key with non-ASCII characters'],
    ['\n', 'AGENT_PLATFORM_API_KEY is empty'],
    ['k'.repeat(16_385), 'AGENT_PLATFORM_API_KEY is longer than any key'],
  ])('the key %j', async (key, message) => {
    expect((await refusal({ args: [address], environment: { AGENT_PLATFORM_API_KEY: key } })).message).toBe(
      message,
    );
  });
});

test('no organization at all: the two alternatives are named', async () => {
  const { message, hint } = await refusal({});
  expect(message).toBe('no organization to poll: neither an API address nor a key is set');
  for (const way of [
    'AGENT_PLATFORM_API_BASE_URL',
    'AGENT_PLATFORM_API_APP_URL',
    'AGENT_PLATFORM_API_KEY',
    ' demo',
  ]) {
    expect(hint).toContain(way);
  }
});
