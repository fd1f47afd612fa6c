import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { App } from '../../src/app/app.ts';
import { collectors } from '../../src/collectors/index.ts';
import type { Config } from '../../src/config/config.ts';
import { createFixedCredential } from '../../src/config/credential.ts';
import { loadConfig } from '../../src/config/load.ts';
import { Scheduler } from '../../src/scheduler/scheduler.ts';
import { SqlStore } from '../../src/store/sql-store.ts';
import { createStoryClock, lookAtFiles, type StoryClock } from '../e2e/clock.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { createFakeTicker } from '../support/fake-ticker.ts';
import { createKeptStream } from '../support/logs.ts';
import { waitFor } from '../support/wait-for.ts';

const NOON = Date.UTC(2026, 10, 20, 12);
const KEY = 'the-first-key';

/** An exporter that polls nothing, of an organization that is nowhere. */
async function openApp(
  change: (config: Config) => Config = (config) => config,
  {
    storage = ':memory:',
    files = new Map<string, string | Error>(),
    environment = {},
    load = undefined as undefined | (() => Promise<Config>),
  } = {},
) {
  const usual = await loadConfig({
    flags: new Map(),
    environment: {
      AGENT_PLATFORM_API_KEY: KEY,
      AGENT_PLATFORM_API_BASE_URL: 'http://127.0.0.1:1',
      AGENT_PLATFORM_WEB_LISTEN_ADDRESS: '127.0.0.1:0',
      AGENT_PLATFORM_STORAGE_PATH: storage,
      ...environment,
    },
    files: createFakeFiles(files),
    collectors,
  });
  const config = change({ ...usual, collectors: new Map() });
  const { stderr, log } = createKeptStream('the service');
  const clock = createStoryClock(NOON);
  const app = await App.open({
    ...{ config, clock, stderr, version: '1', revision: 'test', simulated: false, random: () => 0.5 },
    ...{ ticker: createFakeTicker(), files: createFakeFiles(files) },
    ...(load && { loadConfig: load }),
  });
  onTestFinished(() => app.stop());
  return { app, config, clock, log };
}

const withOrg =
  (change: Partial<Config['orgs'][number]>) =>
  (config: Config): Config => ({ ...config, orgs: config.orgs.map((org) => ({ ...org, ...change })) });

const STOPPING = { ok: false, problem: 'the exporter is stopping' };

test('a reload of a service that nothing configures anew changes nothing, and none takes place after its end', async () => {
  const { app } = await openApp();
  expect(await app.start()).toEqual({ port: expect.any(Number), scheme: 'http' });
  // Only processes that share a database have roles, and memory is never away.
  expect(app.status()).toMatchObject({ role: undefined, storeUp: undefined, notPolled: undefined });
  expect(await app.reload()).toEqual({ ok: true, notes: undefined });
  await app.stop();
  expect(await app.reload()).toEqual(STOPPING);
});

test('a service without a possible client does not listen', async () => {
  const { app } = await openApp(withOrg({ appUrl: 'nowhere' }));
  await expect(app.start()).rejects.toThrow();
  expect(await app.reload()).toEqual(STOPPING);
});

test('what cannot be meant is said at the start', async () => {
  const { log } = await openApp(withOrg({ baseUrl: 'http://127.0.0.1:1/api/v1' }));
  await waitFor(() => expect(log()).toContain('base_url has the path of the API already'));
});

describe('the log never has', () => {
  test('a key or a token, those of a reload included', async () => {
    const next = withOrg({ credential: createFixedCredential('the-other-key', 'the test') });
    const opened = await openApp(undefined, {
      environment: { AGENT_PLATFORM_HOOKS_TOKEN: 'the-hooks-token' },
      load: async () => next(opened.config),
    });
    const { app, log } = opened;
    await app.start();
    expect(await app.reload()).toMatchObject({ ok: true });
    app.log.warn('said', { text: `1 ${KEY} 2 the-other-key 3 the-hooks-token 4` });
    await app.stop();
    expect(log()).toMatch(/text="1 \S+ 2 \S+ 3 \S+ 4"/);
    expect(log()).not.toMatch(/-key|hooks-token/);
  });

  test('a key before there is a service', async () => {
    const folder = folderWithout('the-first-key');
    const { log } = await openApp(undefined, { storage: path.join(folder, KEY, 'history.db') });
    await waitFor(() => expect(log()).toContain('The store cannot be used'));
    expect(log()).not.toContain(KEY);
  });
});

/** A directory in which a file is in the way of another one. */
function folderWithout(name: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'app-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, name), 'in the way');
  return folder;
}

describe('a store that fails with an unknown error', () => {
  const odd = () => vi.spyOn(SqlStore.prototype, 'amend').mockRejectedValue(new Error('odd'));

  test('ends the start', async () => {
    const { app } = await openApp();
    const spied = odd();
    onTestFinished(() => spied.mockRestore());
    await expect(app.start()).rejects.toThrow('odd');
  });

  test.each([
    ['ends the service that waited for it', false],
    ['is nothing to a service that ends', true],
  ])('%s', async (_, isEnding) => {
    const folder = folderWithout('data');
    const { app, log } = await openApp(undefined, { storage: path.join(folder, 'data/history.db') });
    await app.start();
    const spied = odd();
    onTestFinished(() => spied.mockRestore());
    if (isEnding) {
      const ended = Promise.race([app.failed, app.stop()]);
      expect([await ended, log()]).toEqual([undefined, expect.not.stringContaining('level=error')]);
      return;
    }
    rmSync(path.join(folder, 'data'));
    mkdirSync(path.join(folder, 'data'));
    expect(await app.failed).toBe(1);
    await waitFor(() => expect(log()).toMatch(/level=error msg="The history cannot be used.*odd/));
  });
});

test('another file in the place of the store makes each collector run once, and the same one none', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'app-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const caughtUp = vi.spyOn(Scheduler.prototype, 'catchUp').mockReturnValue();
  onTestFinished(() => caughtUp.mockRestore());
  const { app, clock } = await openApp(
    (usual) => ({ ...usual, collectors: new Map([['wiki', true]]), api: { ...usual.api, retries: 0 } }),
    { storage: path.join(folder, 'history.db') },
  );
  await app.start();
  /** The names of the jobs that a sweep runs. */
  async function sweep(): Promise<readonly string[]> {
    const before = caughtUp.mock.calls.length;
    clock.advance(60_000);
    await waitFor(() => expect(caughtUp.mock.calls.length).toBe(before + 1));
    return [...(caughtUp.mock.calls.at(-1)?.[0] ?? expect.fail())];
  }
  expect([await sweep(), await sweep()]).toEqual([[], []]);
  for (const name of readdirSync(folder)) if (name !== 'lock') rmSync(path.join(folder, name));
  expect([...(await sweep()), ...(await sweep()), ...(await sweep())]).toEqual(['default/wiki']);
});

async function lookThrice(clock: StoryClock): Promise<void> {
  for (let looks = 0; looks < 3; looks += 1) await lookAtFiles(clock);
}

test('a web configuration file is followed', async () => {
  const files = new Map<string, string | Error>([['web.yml', 'rate_limit: {interval: 1s, burst: 5}\n']]);
  const { app, clock, log } = await openApp(undefined, {
    ...{ files, environment: { AGENT_PLATFORM_WEB_CONFIG_FILE: 'web.yml' } },
  });
  await app.start();
  files.set('web.yml', 'rate_limits: 1\n');
  await lookThrice(clock);
  expect(log()).toMatch(/level=error msg="Watched file unusable[^\n]* what="the web configuration"/);
  expect(app.status().configuration?.problem).toContain('web.yml:1');
});

describe('a configuration file', () => {
  /** How often it is loaded once it has changed, and whether that is the only time at which it counts as read. */
  async function loadsOf(isFollowed: boolean) {
    const files = new Map<string, string | Error>([['c.yml', 'one']]);
    let loads = 0;
    const { app, clock, config, log } = await openApp(
      (usual) => ({ ...usual, file: { ...usual.file, path: 'c.yml', watch: isFollowed } }),
      {
        files,
        async load() {
          loads += 1;
          return config;
        },
      },
    );
    await app.start();
    await lookThrice(clock);
    expect([loads, app.status().configuration?.readAt]).toEqual([0, NOON]);
    files.set('c.yml', 'two');
    await lookThrice(clock);
    const readAt = app.status().configuration?.readAt;
    await lookThrice(clock);
    expect(app.status().configuration?.readAt).toBe(readAt);
    expect(log()).not.toContain('level=error');
    return loads;
  }

  test('is loaded again when it has changed, and only then', async () => {
    expect(await loadsOf(true)).toBe(1);
  });

  test('is left alone where it is not followed', async () => {
    expect(await loadsOf(false)).toBe(0);
  });
});
