import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { certificatesWith, createSecrets } from '../../src/agent/post.ts';
import { loadSettings } from '../../src/agent/settings/load-settings.ts';
import { parseArguments } from '../../src/config/arguments.ts';
import { backfillOptions } from '../../src/config/command-options.ts';
import { createLook } from '../../src/config/followed.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createOptions } from '../../src/config/options.ts';
import { readRemoteWrite } from '../../src/config/remote-write.ts';
import { resolve } from '../../src/config/resolve.ts';
import { createFiles } from '../../src/files/reader.ts';
import { openWebConfig } from '../../src/web-config/web-config.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { issue } from '../web-config/certificate.ts';
import { collectors } from './loading.ts';

/** The content of a file, and the content after a rotation. */
type Rotation = readonly [before: string, after: string];
/** Returns what is in use. */
type Use = () => unknown;

const API = ['--api.base-url=https://api.example.com'];
const [own, next] = [issue({ name: 'localhost' }), issue({ name: 'localhost' })];
const CA: Rotation = [
  issue({ name: 'ca', isAuthority: true }).certificate,
  issue({ name: 'ca', isAuthority: true }).certificate,
];
// These belong together: each is replaced with the other one.
const PAIR = { cert: [own.certificate, next.certificate], key: [own.key, next.key] } as const;

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rotation-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (name: string) => path.join(folder, name);

function load(environment: Readonly<Record<string, string>>, args: readonly string[] = API) {
  const parsed = parseArguments(args, createOptions(collectors));
  return loadConfig({
    ...{ flags: parsed.help ? new Map() : parsed.flags, environment, files: createFiles(), collectors },
    organizations: environment['AGENT_PLATFORM_STORAGE_URL'] === undefined ? 'required' : 'ignored',
  });
}

async function database(parameters: string): Promise<Use> {
  const url = `postgres://u@db/d?sslmode=verify-full&${parameters}`;
  const { storage } = await load({ AGENT_PLATFORM_STORAGE_URL: url });
  return () => storage.url?.read();
}

async function people(environment: Readonly<Record<string, string>>, flag: string): Promise<Use> {
  const config = await load({ AGENT_PLATFORM_API_KEY: 'key', ...environment }, [...API, flag]);
  return async () => {
    await config.people.refresh();
    const { labelOf, teamOf } = config.people.current();
    return [
      labelOf({ id: 'user_1', email: undefined }),
      teamOf({ id: 'user_1', email: undefined }, 'agent-platform'),
    ];
  };
}

async function remote(...flags: readonly string[]): Promise<Use> {
  const parsed = parseArguments(['--remote-write.url=https://target.test/', ...flags], backfillOptions);
  const { values } = resolve(backfillOptions, parsed.help ? new Map() : parsed.flags, {}, undefined);
  const opened = await readRemoteWrite(values, createFiles());
  return async () => [await opened?.headers(), await opened?.ca()];
}

/** How often the web configuration has taken changed files over. */
async function web(content = 'tls_server_config: {cert_file: cert, key_file: key}'): Promise<Use> {
  writeFileSync(at('web.yml'), content);
  const opened = await openWebConfig({
    ...{ file: at('web.yml'), files: createFiles(), openPaths: [], tokenPaths: [] },
    ...{ clock: createFakeClock(0), log: createFakeLogger() },
  });
  let taken = 0;
  return async () => {
    if (await opened.reload()) taken += 1;
    return taken;
  };
}

const mutual = `{cert_file: cert, key_file: key, client_ca_file: ca, client_auth_type: RequireAndVerifyClientCert}`;

test.each<[what: string, files: Readonly<Record<string, Rotation>>, open: () => Promise<Use> | Use]>([
  [
    'the configuration file that is watched',
    { 'c.yml': ['one', 'two'] },
    async () => {
      const look = await createLook(createFiles(), at('c.yml'));
      // It counts as changed once two looks found the same.
      return async () => (await look()) || (await look());
    },
  ],
  [
    'an API key',
    { key: ['one', 'two'] },
    async () => {
      const { orgs } = await load({ AGENT_PLATFORM_API_KEY_FILE: at('key') });
      return () => orgs[0]?.credential.read();
    },
  ],
  [
    'the key of an organization in the configuration file',
    { key: ['one', 'two'] },
    async () => {
      writeFileSync(
        at('c.yml'),
        `orgs: [{name: acme, base_url: "https://api.example.com", api_key_file: ${at('key')}}]\n`,
      );
      const { orgs } = await load({}, [`--config.file=${at('c.yml')}`]);
      return () => orgs[0]?.credential.read();
    },
  ],
  [
    'the token of hooks',
    { key: ['one', 'two'] },
    async () => {
      const { hooks } = await load({
        ...{ AGENT_PLATFORM_API_KEY: 'key', AGENT_PLATFORM_HOOKS_TOKEN_FILE: at('key') },
      });
      return () => hooks.token?.read();
    },
  ],
  [
    'the key of hashes',
    { key: ['0123456789abcdef', 'fedcba9876543210'] },
    () => people({ AGENT_PLATFORM_USERS_HASH_KEY_FILE: at('key') }, '--users.identity=hash'),
  ],
  ['teams', { 't.csv': ['user_1,a\n', 'user_1,b\n'] }, () => people({}, `--teams.file=${at('t.csv')}`)],
  [
    'the URL of the database',
    { url: ['postgres://u:one@db/d', 'postgres://u:two@db/d'] },
    async () => {
      const { storage } = await load({
        ...{ AGENT_PLATFORM_API_KEY: 'key', AGENT_PLATFORM_STORAGE_URL_FILE: at('url') },
      });
      return () => storage.url?.read();
    },
  ],
  ['the authorities of the database', { ca: CA }, () => database(`sslrootcert=${at('ca')}`)],
  [
    'the certificate for the database, and its key',
    PAIR,
    () => database(`sslcert=${at('cert')}&sslkey=${at('key')}`),
  ],
  ['the web configuration', { 'web.yml': ['{}', 'rate_limit: {interval: 1s, burst: 9}'] }, () => web('{}')],
  ['the certificate of the web configuration, and its key', PAIR, () => web()],
  [
    'the authorities of the web configuration',
    { ca: CA },
    () => {
      writeFileSync(at('cert'), own.certificate);
      writeFileSync(at('key'), own.key);
      return web(`tls_server_config: ${mutual}`);
    },
  ],
  ['the authorities of remote write', { ca: CA }, () => remote(`--remote-write.tls-ca-file=${at('ca')}`)],
  [
    'the token of remote write',
    { key: ['one', 'two'] },
    () => remote(`--remote-write.bearer-token-file=${at('key')}`),
  ],
  [
    'the password of remote write',
    { key: ['one', 'two'] },
    () => remote('--remote-write.username=u', `--remote-write.password-file=${at('key')}`),
  ],
  [
    'a header of remote write',
    { key: ['one', 'two'] },
    () => remote(`--remote-write.header-file=X-Api-Key: ${at('key')}`),
  ],
  [
    'the settings of hooks',
    { 'hooks.yml': ['deadline: 3s\n', 'deadline: 4s\n'] },
    () => () =>
      loadSettings({ config: { file: at('hooks.yml'), named: true }, state: folder, home: folder }, '1'),
  ],
  [
    'a secret of hooks',
    { key: ['one', 'two'] },
    () => () => createSecrets({}, () => undefined)({ file: at('key') }),
  ],
  ['the authorities of hooks', { ca: CA }, () => () => certificatesWith(at('ca'))],
])('replaced by another file, %s is read again', async (_, files, open) => {
  const entries = Object.entries(files);
  for (const [name, [before]] of entries) writeFileSync(at(name), before);
  const use = await open();
  const first = await use();
  expect(await use()).toEqual(first);
  for (const [name, [, after]] of entries) {
    writeFileSync(at(`${name}.new`), after);
    renameSync(at(`${name}.new`), at(name));
  }
  expect(await use()).not.toEqual(first);
});
