import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { collectors } from '../../src/collectors/index.ts';
import type { Finding } from '../../src/commands/doctor/finding.ts';
import { run } from '../../src/commands/doctor.ts';
import { doctorOptions } from '../../src/config/command-options.ts';
import { createOptions } from '../../src/config/options.ts';
import { createClaudeSandbox, type SandboxOptions } from '../../src/sandbox/index.ts';
import { createFaultyPlatform } from '../client/faulty/platform.ts';
import { createContext } from '../commands/surroundings.ts';
import { bytesIn, createDirectory, openStore } from '../store/files.ts';
import { startProxy } from '../support/proxy.ts';
import { issue } from '../web-config/certificate.ts';
import { startProgram } from './program.ts';

const HOUR = 3_600_000;
const ENVIRONMENT = { HOME: '/nonexistent' };

// A Wednesday: on Mondays the newest days are those of a weekend.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 18, 12) }));
afterEach(() => void vi.useRealTimers());

/** A set-up that works, or the changes that break it. */
interface SetUp {
  readonly flags?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly file?: string;
}

interface Report {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

async function platform(options: Partial<SandboxOptions> = {}) {
  const created = createFaultyPlatform({ now: Date.now, users: 12, repos: 4, days: 40, ...options });
  const { url } = await created.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => created.close());
  const [org] = created.orgs;
  const keys = org?.keys;
  return {
    platform: created,
    url,
    environment: { AGENT_PLATFORM_API_BASE_URL: url, AGENT_PLATFORM_API_KEY: keys?.owner ?? '' },
    member: keys?.member ?? '',
  };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function doctor({ flags = [], environment = {}, file }: SetUp, format = 'json') {
  const args = [
    ...(file === undefined ? [] : ['--config.file=c.yml']),
    ...['--api.requests-per-second=1000', `--format=${format}`],
    ...(flags.some((flag) => flag.startsWith('--web.listen')) ? [] : ['--web.listen-address=127.0.0.1:0']),
    ...(flags.some((flag) => flag.startsWith('--storage.path')) ? [] : ['--storage.path=:memory:']),
    ...flags,
  ];
  const given = createContext(
    { ...createOptions(collectors), ...doctorOptions },
    args,
    { ...ENVIRONMENT, ...environment },
    file === undefined ? {} : { 'c.yml': file },
  );
  const code = await run(given.context);
  return { code, text: given.stdout(), stderr: given.stderr() };
}

/** Runs the doctor on a set-up; resolves with the code and what is not all right. */
async function complaints(setUp: SetUp) {
  const { code, text } = await doctor(setUp);
  const { ok, findings } = JSON.parse(text) as Report;
  expect(ok).toBe(code === 0);
  const broken = findings.filter(({ verdict, check }) => verdict !== 'ok' && !isMemory(check, setUp));
  return { code, broken, causes: broken.map(({ verdict, check }) => `${verdict} ${check}`), text };
}

function isMemory(check: string, { flags = [] }: SetUp): boolean {
  return check === 'store' && !flags.some((flag) => flag.startsWith('--storage.path'));
}

/** Statuses in place of the answers of paths that match. */
async function answering(behind: string, matching: RegExp, status: number, body: unknown): Promise<string> {
  const port = await listening(
    createServer({ keepAliveTimeout: 0 }, (request, response) => {
      const refused = matching.test(request.url ?? '');
      const headers = { authorization: request.headers.authorization ?? '' };
      const answer = refused ? undefined : fetch(behind + request.url, { headers });
      void Promise.resolve(answer?.then((one) => one.text())).then((text) => {
        const date = new Date().toUTCString();
        response.writeHead(refused ? status : 200, { 'content-type': 'application/json', date });
        response.end(text ?? JSON.stringify(body));
      });
    }),
  );
  return `http://127.0.0.1:${port}`;
}

async function secure(): Promise<number> {
  const { certificate: cert, key } = issue({ name: 'platform', ips: [[127, 0, 0, 1]] });
  return listening(createSecureServer({ cert, key }, (_request, response) => void response.end('{}')));
}

async function storeIn(folder: string): Promise<string> {
  const file = path.join(folder, 'history.db');
  const store = openStore(file);
  await store.adopt('default', 'org-of-the-store');
  await store.putRequests('default', { day: '2026-01-01' as never, requests: 3 });
  await store.close();
  return file;
}

const KEY = { AGENT_PLATFORM_API_KEY: 'a-key-of-nobody' };

/** Each broken set-up, what names its cause, and the exit code. */
const SET_UPS: Readonly<
  Record<string, readonly [setUp: () => Promise<SetUp>, cause: string, seen: RegExp, code?: number]>
> = {
  'wrong host': [
    // No resolver is asked for a name with a part of 64 characters.
    async () => ({ environment: { ...KEY, AGENT_PLATFORM_API_BASE_URL: `https://${'x'.repeat(64)}.test` } }),
    'failure name',
    /host name not found \(x+\.test:443\)/,
  ],
  'http for https': [
    async () => ({
      environment: { ...KEY, AGENT_PLATFORM_API_BASE_URL: `http://127.0.0.1:${await secure()}` },
    }),
    'failure tls',
    /the server speaks TLS/,
  ],
  'http, and a redirect to https': [
    async () => {
      const port = await listening(
        createServer((_request, response) => {
          response.writeHead(301, { location: 'https://platform.invalid/', connection: 'close' }).end();
        }),
      );
      return { environment: { ...KEY, AGENT_PLATFORM_API_BASE_URL: `http://127.0.0.1:${port}` } };
    },
    'failure tls',
    /answered 301, a redirect/,
  ],
  'https for http': [
    async () => {
      const { url, environment } = await platform();
      return { environment: { ...environment, AGENT_PLATFORM_API_BASE_URL: url.replace('http:', 'https:') } };
    },
    'failure tls',
    /TLS handshake failed/,
  ],
  'unknown certificate': [
    async () => ({
      environment: { ...KEY, AGENT_PLATFORM_API_BASE_URL: `https://127.0.0.1:${await secure()}` },
    }),
    'failure tls',
    /certificate verification failed/,
  ],
  'proxy that blocks': [
    async () => {
      const { url } = await startProxy(403);
      return {
        environment: { ...KEY, HTTPS_PROXY: url, AGENT_PLATFORM_API_BASE_URL: 'https://api.test' },
      };
    },
    'failure proxy',
    /opened no tunnel to api\.test:443: 403 Forbidden/,
  ],
  'key of a member': [
    async () => {
      const { environment, member } = await platform();
      return { environment: { ...environment, AGENT_PLATFORM_API_KEY: member } };
    },
    'failure role',
    /answered 403/,
  ],
  'revoked key': [
    async () => ({ environment: { ...(await platform()).environment, ...KEY } }),
    'failure key',
    /answered 401/,
  ],
  'wrong plan, 403': [
    async () => {
      const { url, environment } = await platform();
      const detail = 'Analytics are part of the Enterprise plan';
      const behind = await answering(url, /analytics/, 403, { title: 'Forbidden', detail, status: 403 });
      return { environment: { ...environment, AGENT_PLATFORM_API_BASE_URL: behind } };
    },
    'failure plan',
    /Enterprise plan/,
  ],
  'wrong plan, 404': [
    async () => {
      const { url, environment } = await platform();
      const behind = await answering(url, /analytics/, 404, {});
      return { environment: { ...environment, AGENT_PLATFORM_API_BASE_URL: behind } };
    },
    'failure plan',
    /no analytics endpoint exists for this key/,
  ],
  'clock an hour off': [
    async () => ({ environment: (await platform({ now: () => Date.now() + HOUR })).environment }),
    'failure clock',
    /1h behind the Date/,
  ],
  'path moved': [
    async () => {
      const { url, environment } = await platform();
      const behind = await answering(url, /tools/, 404, {});
      return { environment: { ...environment, AGENT_PLATFORM_API_BASE_URL: behind } };
    },
    'failure tools',
    /tools answered 404/,
  ],
  '429 for good': [
    async () => ({ environment: (await platform({ faults: ['429=1:2'] })).environment }),
    'failure rate',
    /answered 429/,
  ],
  "another organization's key": [
    async () => ({ flags: ['--api.org-id=org_ours'], environment: (await platform()).environment }),
    'failure organization',
    /but org_id names org_ours/,
  ],
  "a key of another organization than the store's": [
    async () => {
      const flags = [`--storage.path=${await storeIn(createDirectory())}`];
      return { flags, environment: (await platform()).environment };
    },
    'failure organization',
    /the stored days are those of org-of-the-store/,
  ],
  'store unwritable': [
    async () => {
      const blocked = path.join(createDirectory(), 'file');
      writeFileSync(blocked, '');
      const flags = [`--storage.path=${path.join(blocked, 'history.db')}`];
      return { flags, environment: (await platform()).environment };
    },
    'failure store',
    /is not a directory/,
  ],
  'store damaged': [
    async () => {
      const file = await storeIn(createDirectory());
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.fill(0xa5, 4096));
      return { flags: [`--storage.path=${file}`], environment: (await platform()).environment };
    },
    'failure store',
    /is damaged/,
  ],
  'store of an older release': [
    async () => {
      const file = await storeIn(createDirectory());
      const db = new DatabaseSync(file);
      db.exec('PRAGMA user_version = 1');
      db.close();
      return { flags: [`--storage.path=${file}`], environment: (await platform()).environment };
    },
    'warning store',
    /was written by an older release/,
    0,
  ],
  "another program's file": [
    async () => {
      const file = path.join(createDirectory(), 'history.db');
      writeFileSync(file, 'a letter '.repeat(100));
      return { flags: [`--storage.path=${file}`], environment: (await platform()).environment };
    },
    'failure store',
    /is not a file of this exporter/,
  ],
  'no web configuration file': [
    async () => ({ flags: ['--web.config.file=web.yml'], environment: (await platform()).environment }),
    'failure web',
    /web\.yml/,
  ],
  'port taken': [
    async () => {
      const port = await listening(createServer((_request, response) => void response.end('healthy')));
      return {
        flags: [`--web.listen-address=127.0.0.1:${port}`],
        environment: (await platform()).environment,
      };
    },
    'failure port',
    /is taken by another program/,
  ],
  'empty organization': [
    async () => ({ environment: (await platform({ users: 0, repos: 0 })).environment }),
    'warning data',
    /the organization is empty/,
    0,
  ],
  'platform late by three days': [
    async () => ({ environment: (await platform({ faults: ['late=3'] })).environment }),
    'warning tokens',
    /\d days before yesterday: the platform is late/,
    0,
  ],
  'paging broken': [
    async () => ({
      environment: (await platform({ users: 250, faults: ['repeated-cursor@users'] })).environment,
      flags: ['--collector.users'],
    }),
    'failure paging',
    /incomplete listing of people: a repeated cursor/,
  ],
  'hooks token wrong': [
    async () => {
      const { environment } = await platform();
      const running = await startProgram([], undefined, {
        environment: { AGENT_PLATFORM_HOOKS_TOKEN: 'the-token-of-the-exporter' },
      });
      const port = /Serving.* port=(\d+)/.exec(running.log())?.[1];
      return {
        flags: [`--web.listen-address=127.0.0.1:${port}`],
        environment: { ...environment, AGENT_PLATFORM_HOOKS_TOKEN: 'another-token-of-senders' },
      };
    },
    'failure hooks',
    /the running exporter, .*: answered 401: the token differs from that of the exporter/,
  ],
};

test.each(Object.entries(SET_UPS))(
  'the cause is named: %s',
  async (_name, [setUp, cause, seen, code = 1]) => {
    const made = await setUp();
    const found = await complaints(made);
    expect(found.causes[0], found.text).toBe(cause);
    expect(new Set(found.causes.filter((one) => one.startsWith('failure'))).size).toBeLessThanOrEqual(1);
    expect(found.broken.map((one) => one.seen).join('\n')).toMatch(seen);
    for (const { advice } of found.broken) expect(advice, found.text).toMatch(/\w/);
    expect(found.code).toBe(code);
    expect(found.text).not.toMatch(/us%65r|secret@|a-key-of-nobody|sandbox-|-token-of-/);
  },
);

test('a set-up that works has no complaint, beside a running exporter too, and nothing is written', async () => {
  const folder = createDirectory();
  const running = await startProgram([`--storage.path=${folder}/history.db`], undefined, {
    environment: { AGENT_PLATFORM_HOOKS_TOKEN: 'the-token-of-the-exporter' },
  });
  const port = /Serving.* port=(\d+)/.exec(running.log())?.[1];
  const found = await complaints({
    flags: [`--storage.path=${folder}/history.db`, `--web.listen-address=127.0.0.1:${port}`],
    environment: {
      ...(await platform()).environment,
      AGENT_PLATFORM_HOOKS_TOKEN: 'the-token-of-the-exporter',
    },
  });
  expect(found.causes, found.text).toEqual([]);
  expect(found.code).toBe(0);
  expect(found.text).toContain('an exporter answers at');
});

test('the store is neither created nor changed', async () => {
  const folder = createDirectory();
  const { environment } = await platform();
  const absent = await complaints({ flags: [`--storage.path=${folder}/new/history.db`], environment });
  expect([absent.code, existsSync(path.join(folder, 'new'))]).toEqual([0, false]);
  const file = await storeIn(folder);
  const before = bytesIn(folder);
  await complaints({ flags: [`--storage.path=${file}`], environment });
  expect(bytesIn(folder)).toEqual(before);
});

test('many organizations are examined, each by itself, without a warning of the runtime', async () => {
  const { url } = await platform();
  const warnings: string[] = [];
  const note = (warning: Error) => void warnings.push(warning.name);
  process.on('warning', note);
  const names = Array.from({ length: 40 }, (_, index) => `org-${index}`);
  const org = (name: string) => `{name: ${name}, base_url: '${url}', api_key_env: KEY_OF_ALL}`;
  const found = await complaints({
    file: `orgs: [${names.map(org).join(', ')}]\n`,
    environment: { KEY_OF_ALL: 'a-key-of-nobody' },
  });
  process.off('warning', note);
  expect(found.causes).toEqual(names.map(() => 'failure key'));
  expect(found.broken.map((one) => one.org)).toEqual(names);
  expect(warnings).toEqual([]);
});

test('an invalid configuration is a finding', async () => {
  const { code, broken } = await complaints({ file: 'orgs: [{name: acme}]\n' });
  expect([code, broken[0]?.check]).toEqual([1, 'configuration']);
});

test('an address that ends with the path of the API is named before what it breaks', async () => {
  const given = { ...KEY, AGENT_PLATFORM_API_BASE_URL: 'http://127.0.0.1:1/v1' };
  const { broken } = await complaints({ environment: given, flags: ['--api.platform=claude'] });
  const [first] = broken;
  expect(first).toMatchObject({
    org: 'default',
    check: 'base_url',
    verdict: 'warning',
    advice: 'leave out /v1',
  });
});

test('what another platform has left under the name is no complaint', async () => {
  const sandbox = createClaudeSandbox({ now: Date.now, users: 12, pace: 'unlimited' });
  const { url } = await sandbox.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => sandbox.close());
  const { causes } = await complaints({
    flags: ['--api.platform=claude', `--storage.path=${await storeIn(createDirectory())}`],
    environment: {
      AGENT_PLATFORM_API_BASE_URL: url,
      AGENT_PLATFORM_API_KEY: 'sk-ant-admin01-sandbox-acme',
    },
  });
  expect(causes).not.toContain('failure organization');
});

test('a budget that is used up is a finding', async () => {
  const { environment } = await platform();
  const folder = createDirectory();
  const store = openStore(path.join(folder, 'history.db'));
  const today = new Date().toISOString().slice(0, 10);
  await store.putRequests('default', { day: today as never, requests: 10 });
  await store.close();
  const flags = [`--storage.path=${folder}/history.db`, '--api.daily-request-limit=10'];
  const { causes } = await complaints({ flags, environment });
  expect(causes).toEqual(['failure requests']);
});

test('an organization with more people than are read is not empty', async () => {
  const { environment } = await platform({ users: 5_000, repos: 0, days: 2 });
  const others = ['tokens', 'tools', 'activity', 'productivity', 'readiness', 'wiki'];
  const flags = ['--collector.users', ...others.map((name) => `--no-collector.${name}`)];
  const { causes, text } = await complaints({ flags, environment });
  expect(causes, text).toEqual([]);
  expect(text).toContain('20 pages read, more follow');
});

test('checks that do not end by the deadline fail', async () => {
  const { environment } = await platform({ faults: ['hang=1'] });
  const { code, causes } = await complaints({ flags: ['--deadline=1s'], environment });
  expect(code).toBe(1);
  expect(causes).toContain('failure platform');
});

test('the agents of this machine are checked by their own settings', async () => {
  const { environment } = await platform();
  const settings = path.join(createDirectory(), 'hooks.yaml');
  const port = await listening(createServer((_request, response) => void response.writeHead(401).end('{}')));
  writeFileSync(settings, `forward: {url: "http://127.0.0.1:${port}", token_env: TOKEN}\n`);
  const flags = [`--hook-config=${settings}`];
  const found = await complaints({ flags, environment: { ...environment, TOKEN: 'a-token-of-agents' } });
  expect(found.causes).toEqual(['failure hooks']);
  expect(found.text).not.toContain('a-token-of-agents');
});

test('on a terminal, each line has a mark, and what to do below it', async () => {
  const { environment } = await platform();
  const { text, code } = await doctor({ environment: { ...environment, ...KEY } }, 'text');
  expect(code).toBe(1);
  expect(text).toMatch(/^✓ configuration +organizations default/m);
  expect(text).toMatch(/^✗ default: key +GET .* answered 401.*\n +→ .*create a new API key/m);
  expect(text).toMatch(/\n\d+ ✓, \d+ !, \d+ ✗\n$/);
});
