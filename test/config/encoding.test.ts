import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { certificatesWith, createSecrets } from '../../src/agent/post.ts';
import { loadSettings } from '../../src/agent/settings/load-settings.ts';
import { settingsFor } from '../../src/agent/settings/settings-for.ts';
import { parseArguments } from '../../src/config/arguments.ts';
import { backfillOptions } from '../../src/config/command-options.ts';
import { createFileCredential } from '../../src/config/credential.ts';
import { loadConfig } from '../../src/config/load.ts';
import { createOptions } from '../../src/config/options.ts';
import { createPeople } from '../../src/config/people/people.ts';
import { readRemoteWrite } from '../../src/config/remote-write.ts';
import { resolve } from '../../src/config/resolve.ts';
import { createFiles } from '../../src/files/reader.ts';
import { loadWebSettings } from '../../src/web-config/load.ts';
import { collectors } from './loading.ts';

/** A file as a spreadsheet or an editor on Windows saves it, in Windows-1252. */
const WRONG = Buffer.from('user_1,M\xf6nchen\nuser_2,M\xfcnchen\n', 'latin1');
const PLAIN = 'user_1,a\n';
const LINE = 'is not valid UTF-8 in line 2: save it in that encoding';

let folder = '';
let bad = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'encoding-'));
  bad = path.join(folder, 'bad.csv');
  write(bad, Buffer.concat([Buffer.from('# a comment\n'), WRONG]));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, content: string | Buffer): void {
  writeFileSync(file, content);
}

function named(name: string, content: string): string {
  write(path.join(folder, name), content);
  return path.join(folder, name);
}

function load(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const parsed = parseArguments(args, createOptions(collectors));
  return loadConfig({
    ...{ flags: parsed.help ? new Map() : parsed.flags, environment, files: createFiles(), collectors },
    organizations: 'AGENT_PLATFORM_API_KEY_FILE' in environment ? 'required' : 'ignored',
  });
}

function remote(...flags: readonly string[]) {
  const parsed = parseArguments(['--remote-write.url=http://127.0.0.1:9/', ...flags], backfillOptions);
  const { values } = resolve(backfillOptions, parsed.help ? new Map() : parsed.flags, {}, undefined);
  return readRemoteWrite(values, createFiles());
}

function hookPaths(file: string) {
  return { config: { file, named: true }, state: path.join(folder, 'state'), home: folder };
}

const API = ['--api.base-url=https://api.example.com'];

describe('a file that is not UTF-8 is refused with its line', () => {
  test.each<[what: string, read: () => unknown]>([
    ['the configuration', () => load([`--config.file=${bad}`])],
    ['teams in CSV', () => load([`--teams.file=${bad}`])],
    [
      'teams in YAML',
      () => {
        const file = bad.replace('.csv', '.yaml');
        write(
          file,
          Buffer.concat([Buffer.from('user_1: a\n'), Buffer.from('user_2: M\xfcnchen\n', 'latin1')]),
        );
        return load([`--teams.file=${file}`]);
      },
    ],
    ['an API key', () => load(API, { AGENT_PLATFORM_API_KEY_FILE: bad })],
    ['a hook token', () => load([], { AGENT_PLATFORM_HOOKS_TOKEN_FILE: bad })],
    ['the key of hashes', () => load(['--users.identity=hash'], { AGENT_PLATFORM_USERS_HASH_KEY_FILE: bad })],
    ['the address of a database', () => load([], { AGENT_PLATFORM_STORAGE_URL_FILE: bad })],
    [
      'the authorities of a database',
      () => load([`--storage.url=postgresql://a@b/c?sslmode=verify-full&sslrootcert=${bad}`]),
    ],
    ['the web configuration', () => loadWebSettings(bad, createFiles())],
    [
      'a certificate of the web configuration',
      () => {
        const file = named('web.yml', 'tls_server_config: {cert_file: bad.csv, key_file: bad.csv}\n');
        return loadWebSettings(file, createFiles());
      },
    ],
    ['the authorities of remote write', () => remote(`--remote-write.tls-ca-file=${bad}`)],
    ['the token of remote write', () => remote(`--remote-write.bearer-token-file=${bad}`)],
    ['a header of remote write', () => remote(`--remote-write.header-file=X-Scope-OrgID: ${bad}`)],
    ['the settings of hooks', () => settingsFor(hookPaths(bad))],
    ['a secret of hooks', () => createSecrets({}, () => undefined)({ file: bad })],
    ['the authorities of hooks', () => certificatesWith(bad)],
  ])('%s', async (_, read) => {
    const message = await Promise.resolve()
      .then(read)
      .then(
        () => 'was accepted',
        (error: Error) => error.message,
      );
    expect(message).toMatch(/bad\.(csv|yaml)/);
    expect(message).toContain(LINE);
    expect(message).not.toMatch(/nchen|\ufffd/);
  });
});

describe('a file that is not UTF-8 any more leaves what was read before', () => {
  test('of teams', async () => {
    const file = named('teams.csv', PLAIN);
    const people = await createPeople({
      identity: 'none',
      teamsFile: file,
      environment: {},
      files: createFiles(),
    });
    write(file, WRONG);
    await expect(people.refresh()).rejects.toThrow('is not valid UTF-8 in line 1');
    expect(people.current().teamOf({ id: 'user_1', email: undefined }, 'agent-platform')).toBe('a');
  });

  test('of a key', async () => {
    const file = named('key', 'secret');
    const key = await createFileCredential(file, file, createFiles());
    write(file, WRONG);
    expect(await key.read()).toBe('secret');
    expect(key.problem()).toContain('is not valid UTF-8 in line 1');
  });

  test('of the settings of hooks', async () => {
    const file = named('hooks.yaml', 'deadline: 3s\n');
    expect(await loadSettings(hookPaths(file), '1')).toMatchObject({ settings: { deadlineMs: 3000 } });
    write(file, Buffer.concat([Buffer.from('deadline: 4s\n# '), WRONG]));
    expect(await loadSettings(hookPaths(file), '1')).toMatchObject({
      ...{ settings: { deadlineMs: 3000 }, problem: `${file} ${LINE}` },
    });
  });
});
