import { describe, expect, test } from 'vitest';
import { configErrorOf, load } from './loading.ts';

const file = {
  'c.yml': 'log: {level: warn}\nweb: {enable_lifecycle: true}\ncollectors: {wiki: {enabled: true}}\n',
};

describe('flag, then environment, then file, then default', () => {
  test('the default where nothing is given', async () => {
    expect((await load({})).log.level).toBe('info');
  });

  test('the file over the default', async () => {
    expect((await load({ args: ['--config.file=c.yml'], files: file })).log.level).toBe('warn');
  });

  test('the environment over the file, which it may also name', async () => {
    const environment = { AGENT_PLATFORM_CONFIG_FILE: 'c.yml', AGENT_PLATFORM_LOG_LEVEL: 'error' };
    expect((await load({ environment, files: file })).log.level).toBe('error');
  });

  test('the flag over the environment', async () => {
    const environment = { AGENT_PLATFORM_LOG_LEVEL: 'error' };
    const args = ['--log.level', 'debug', '--config.file', 'c.yml'];
    expect((await load({ args, environment, files: file })).log.level).toBe('debug');
  });

  test('a switch can be turned off by a source with precedence', async () => {
    const args = ['--config.file=c.yml', '--no-web.enable-lifecycle', '--no-collector.wiki'];
    const config = await load({ args, files: file });
    expect(config.web.enableLifecycle).toBe(false);
    expect(Object.fromEntries(config.collectors)).toEqual({ tokens: true, wiki: false });
  });

  test('collectors follow their own default', async () => {
    expect(Object.fromEntries((await load({})).collectors)).toEqual({ tokens: true, wiki: false });
    const environment = { AGENT_PLATFORM_COLLECTOR_WIKI: 'true' };
    expect((await load({ environment })).collectors.get('wiki')).toBe(true);
  });
});

test('an error is reported even if another source takes precedence', async () => {
  const environment = { AGENT_PLATFORM_API_TIMEOUT: 'soon' };
  const failure = await configErrorOf(() => load({ args: ['--api.timeout=5s'], environment }));
  expect(failure.message).toBe(
    'AGENT_PLATFORM_API_TIMEOUT: "soon" is not a duration, such as 30s, 1h30m or 7d',
  );
});

test('one of several values is named by what is wrong with it', async () => {
  const args = ['--web.allowed-hosts=a.example', '--web.allowed-hosts=a b'];
  expect((await configErrorOf(() => load({ args }))).message).toBe(
    '--web.allowed-hosts: "a b" is not a host name without a port, such as exporter.example.com or *.example.com',
  );
});

test('an empty variable counts as not set, an empty flag does not', async () => {
  expect((await load({ environment: { AGENT_PLATFORM_LOG_LEVEL: '' } })).log.level).toBe('info');
  const failure = await configErrorOf(() => load({ args: ['--log.level='] }));
  expect(failure.message).toBe('--log.level: "" is not one of error, warn, info, debug');
});

describe('a configuration file that cannot be read', () => {
  test.each([
    ['ENOENT', 'does not exist'],
    ['EACCES', 'cannot be read: permission denied'],
    ['EISDIR', 'is a directory'],
    ['EIO', 'cannot be read (EIO)'],
  ])('%s', async (code, said) => {
    const files = { 'c.yml': Object.assign(new Error('low-level words'), { code }) };
    expect(await configErrorOf(() => load({ args: ['--config.file=c.yml'], files }))).toEqual({
      message: `--config.file: c.yml ${said}`,
      hint: undefined,
    });
  });

  test('named by the environment', async () => {
    const failure = await configErrorOf(() =>
      load({ environment: { AGENT_PLATFORM_CONFIG_FILE: 'gone.yml' } }),
    );
    expect(failure.message).toBe('AGENT_PLATFORM_CONFIG_FILE: gone.yml does not exist');
  });
});

describe('the limit of a label', () => {
  async function limits(yaml: string): Promise<readonly number[]> {
    const { valuesPerLabel } = (await load({ args: ['--config.file=c.yml'], files: { 'c.yml': yaml } }))
      .limits;
    return ['model', 'repo', 'user'].map((label) => valuesPerLabel(label));
  }

  test('is the default, with more for repositories and people', async () => {
    expect(await limits('')).toEqual([200, 5000, 20_000]);
  });

  test('is one number for all', async () => {
    expect(await limits('limits: {values_per_label: 7}')).toEqual([7, 7, 7]);
  });

  test('is set by label over the defaults', async () => {
    expect(await limits('limits: {values_per_label: {default: 9, repo: 10}}')).toEqual([9, 10, 20_000]);
  });
});
