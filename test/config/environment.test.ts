import { describe, expect, test } from 'vitest';
import { configErrorOf, load } from './loading.ts';

describe('a variable with the prefix that is not an option', () => {
  test.each([
    ['AGENT_PLATFORM_LOG_LEVL', 'did you mean AGENT_PLATFORM_LOG_LEVEL?'],
    ['AGENT_PLATFORM_API_KEYFILE', 'did you mean AGENT_PLATFORM_API_KEY_FILE?'],
    ['AGENT_PLATFORM_COLLECTOR_WIKIS', 'did you mean AGENT_PLATFORM_COLLECTOR_WIKI?'],
    ['AGENT_PLATFORM_Z', 'variables that begin with AGENT_PLATFORM_ are reserved for the exporter'],
  ])('%s is refused, without its value', async (variable, hint) => {
    expect(await configErrorOf(() => load({ environment: { [variable]: 'planted-secret' } }))).toEqual({
      message: `unknown environment variable ${variable}`,
      hint,
    });
  });

  test.each([
    'AGENT_PLATFORM_HOOKS_TOKEN',
    'AGENT_PLATFORM_USERS_HASH_KEY',
    'AGENT_PLATFORM_EXPORTER_SERVICE_HOST',
    'AGENT_PLATFORM_EXPORTER_SERVICE_PORT',
    'AGENT_PLATFORM_EXPORTER_SERVICE_PORT_METRICS',
    'AGENT_PLATFORM_EXPORTER_PORT',
    'AGENT_PLATFORM_EXPORTER_PORT_9889_TCP',
    'AGENT_PLATFORM_EXPORTER_PORT_9889_TCP_ADDR',
    'AGENT_PLATFORM_PORT',
    'AGENT_PLATFORM_SANDBOX_SEED',
    'AGENT_PLATFORMS',
    'PATH',
  ])('%s is ignored', async (variable) => {
    await expect(load({ environment: { [variable]: 'anything' } })).resolves.toBeDefined();
  });

  test('is ignored if an organization takes its key from it', async () => {
    const orgs = 'orgs: [{name: a, base_url: "https://x.example", api_key_env: AGENT_PLATFORM_KEY_OF_A}]';
    const { orgs: loaded } = await load({
      args: ['--config.file=c.yml'],
      environment: { AGENT_PLATFORM_KEY_OF_A: 'k' },
      files: { 'c.yml': orgs },
      organizations: 'required',
    });
    expect(await loaded[0]?.credential.read()).toBe('k');
  });
});
