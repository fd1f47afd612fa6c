import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createFakeFiles } from '../../../src/config/files.ts';
import { createLabels } from '../../../src/config/people/labels.ts';
import { createPeople } from '../../../src/config/people/people.ts';
import { createTeams } from '../../../src/config/people/teams.ts';
import { parseTeams } from '../../../src/config/people/teams-file.ts';
import { configErrorOf, load } from '../loading.ts';

const ada = { id: 'user_1', email: 'ada@acme.example' };
const KEY = '0123456789abcdef';

describe('a teams file', () => {
  test.each([
    [
      'teams.yaml',
      '# who is where\nuser_1: platform\n"Ben@Acme.example": "web"\n"*@contractors.example": \'outside\'\n',
    ],
    ['teams.csv', 'user,team\nuser_1,platform\nBen@Acme.example,web\n*@contractors.example,outside\n'],
    [
      'no-header.CSV',
      '\ufeff# who is where\r\nuser_1; platform\r\n\r\n"Ben@Acme.example";web\r\n*@contractors.example;outside',
    ],
  ])('%s', async (file, text) => {
    expect(await parseTeams(text, file)).toEqual([
      { member: 'user_1', team: 'platform' },
      { member: 'Ben@Acme.example', team: 'web' },
      { member: '*@contractors.example', team: 'outside' },
    ]);
  });

  test.each([
    ['teams.yaml', ''],
    ['teams.csv', ''],
    ['teams.csv', 'email,team\n'],
  ])('%s may be empty: %j', async (file, text) => {
    expect(await parseTeams(text, file)).toEqual([]);
  });

  test.each([
    ['t.yaml', '- ada@acme.example\n', 't.yaml:1: must be a mapping'],
    ['t.yaml', 'user_1: a\nada@acme.example:\n', 't.yaml:2: has no team'],
    ['t.yaml', 'ada@acme.example: [a]\n', 't.yaml:1: has no team'],
    ['t.yaml', 'ada@acme.example: 7\n', 't.yaml:1: the team must be in quotes'],
    ['t.yaml', 'ada@acme.example: a\nada@acme.example: b\n', 't.yaml:2: is listed twice'],
    ['t.yaml', 'ada@acme.example: a\nADA@acme.example: b\n', 't.yaml:2: is listed twice'],
    ['t.yaml', '*@acme.example: a\n', 't.yaml:1: is not valid YAML'],
    ['t.yaml', '"": a\n', 't.yaml:1: has no user'],
    ['t.yaml', 'ada@acme.example: "a\\tb"\n', 't.yaml:1: has a team with control characters'],
    ['t.csv', 'user_1,a\nada@acme.example\n', 't.csv:2: has no team'],
    ['t.csv', 'user_1,a\nada@acme.example,a,b\n', 't.csv:2: has more than two fields'],
    ['t.csv', 'user_1,a\n\nuser_1,b\n', 't.csv:3: is listed twice'],
    ['t.csv', 'user_1,a\n"ada@acme.example,b\n', 't.csv:2: is not valid CSV'],
    ['t.csv', `user_1,${'x'.repeat(101)}\n`, 't.csv:1: has a team of more than 100 characters'],
  ])('%s with an error is refused with its line and without its words: %j', async (file, text, message) => {
    const failure = await configErrorOf(() => parseTeams(text, file));
    expect(failure.message).toBe(message);
    expect(JSON.stringify(failure)).not.toMatch(/ada@|acme/i);
  });
});

describe('a person belongs to the team', () => {
  const teams = createTeams([
    { member: '*@acme.example', team: 'pattern 1' },
    { member: 'a*@*.example', team: 'pattern 2' },
    { member: 'Ada@acme.example', team: 'address' },
    { member: 'user_1', team: 'id' },
  ]);

  test.each([
    ['of their id', ada, 'id'],
    ['of their address', { ...ada, id: 'user_2' }, 'address'],
    ['of the first pattern that fits', { id: 'x', email: 'anna@acme.example' }, 'pattern 1'],
    ['of a later pattern', { id: 'x', email: 'anna@other.example' }, 'pattern 2'],
    ['none, where nothing fits', { id: 'x', email: 'zoe@other.example' }, 'none'],
    ['none, without an address', { id: 'x', email: undefined }, 'none'],
    ['of their id, without an address', { id: 'user_1', email: undefined }, 'id'],
  ])('%s', (_, somebody, team) => {
    expect(teams.teamOf(somebody)).toBe(team);
  });

  test('and a pattern takes no longer for a hostile address', () => {
    const hostile = createTeams([{ member: `${'*a'.repeat(2000)}*b`, team: 't' }]);
    expect(hostile.teamOf({ id: 'x', email: 'a'.repeat(100_000) })).toBe('none');
  });

  test('parts of a pattern do not overlap', () => {
    const { teamOf } = createTeams([{ member: 'ab*b', team: 't' }]);
    expect(['ab', 'abb', 'abxb'].map((email) => teamOf({ id: 'x', email }))).toEqual(['none', 't', 't']);
  });
});

describe('the identification of people', () => {
  async function peopleWith(identity: 'none' | 'hash' | 'id' | 'email', environment = {}, files = new Map()) {
    return createPeople({ identity, teamsFile: undefined, environment, files: createFakeFiles(files) });
  }

  test.each([
    ['none', undefined],
    ['hash', 'eb628dcd9011f511'],
    ['id', 'user_1'],
    ['email', 'ada@acme.example'],
  ] as const)('by %s', async (identity, label) => {
    const people = await peopleWith(identity, { AGENT_PLATFORM_USERS_HASH_KEY: KEY });
    expect(people.current().labelOf(ada)).toBe(label);
  });

  test.each(['k'.repeat(16), 'k'.repeat(64), 'k'.repeat(65), 'ü'.repeat(80)])(
    'hashes are those of HMAC-SHA-256, whatever the key and the id',
    (key) => {
      const { labelOf } = createLabels('hash', key);
      // From long to short: earlier contents must not count.
      for (const id of ['ü'.repeat(400), 'x'.repeat(256), 'user_1', '\0', '']) {
        const expected = createHmac('sha256', key).update(id).digest('hex').slice(0, 16);
        expect(labelOf({ id, email: undefined })).toBe(expected);
      }
    },
  );

  test('by e-mail address, a person without one has the id', async () => {
    const people = await peopleWith('email');
    expect(people.current().labelOf({ id: 'user_2', email: undefined })).toBe('user_2');
  });

  test.each([
    ['no key', {}, 'users.identity is hash, but no hash key is set'],
    [
      'a short key',
      { AGENT_PLATFORM_USERS_HASH_KEY: 'planted-secret' },
      'AGENT_PLATFORM_USERS_HASH_KEY: the hash key has fewer than 16 bytes',
    ],
    [
      'a key of one repeated character',
      { AGENT_PLATFORM_USERS_HASH_KEY: 'x'.repeat(64) },
      'AGENT_PLATFORM_USERS_HASH_KEY: the hash key is one repeated character',
    ],
    [
      'two keys',
      { AGENT_PLATFORM_USERS_HASH_KEY: KEY, AGENT_PLATFORM_USERS_HASH_KEY_FILE: '/k' },
      'AGENT_PLATFORM_USERS_HASH_KEY and AGENT_PLATFORM_USERS_HASH_KEY_FILE are both set',
    ],
    [
      'a file that is not there',
      { AGENT_PLATFORM_USERS_HASH_KEY_FILE: '/gone' },
      'AGENT_PLATFORM_USERS_HASH_KEY_FILE: /gone does not exist',
    ],
    [
      'a file with a short key',
      { AGENT_PLATFORM_USERS_HASH_KEY_FILE: '/short' },
      '/short: the hash key has fewer than 16 bytes',
    ],
  ])('by hash with %s is refused', async (_, environment, message) => {
    const files = { '/short': 'planted-secret\n' };
    const failure = await configErrorOf(() => load({ args: ['--users.identity=hash'], environment, files }));
    expect(failure.message).toBe(message);
    expect(JSON.stringify(failure)).not.toContain('planted-secret');
  });

  test('another key makes other hashes, and its file is read again when it changes', async () => {
    const files = new Map([['/k', `${KEY}\n`]]);
    const people = await peopleWith('hash', { AGENT_PLATFORM_USERS_HASH_KEY_FILE: '/k' }, files);
    const before = people.current();
    expect(people.secrets()).toEqual([KEY]);
    expect(await people.refresh()).toBe(false);
    files.set('/k', 'fedcba9876543210');
    expect(await people.refresh()).toBe(true);
    expect(people.current().identity).not.toBe(before.identity);
    expect(people.current().labelOf(ada)).not.toBe(before.labelOf(ada));
    expect(people.current().identity).not.toContain('fedcba');
  });
});

describe('the teams of a configuration', () => {
  test('start at the directory of the configuration file, at that of the process where a flag names them', async () => {
    const files = {
      '/etc/x/c.yml': 'teams: {file: teams.csv}\n',
      '/etc/x/teams.csv': 'user_1,a\n',
      't.csv': 'user_1,b',
    };
    const inFile = await load({ args: ['--config.file=/etc/x/c.yml'], files });
    expect(inFile.people.current().teamOf(ada)).toBe('a');
    const byFlag = await load({ args: ['--config.file=/etc/x/c.yml', '--teams.file=t.csv'], files });
    expect(byFlag.people.current().teamOf(ada)).toBe('b');
  });

  test('that cannot be read are refused, later they stay as they were read before', async () => {
    const missing = await configErrorOf(() => load({ args: ['--teams.file=t.csv'] }));
    expect(missing.message).toBe('teams.file: t.csv does not exist');
    const files = new Map<string, string | Error>([['t.csv', 'user_1,a\n']]);
    const people = await createPeople({
      identity: 'none',
      teamsFile: 't.csv',
      environment: {},
      files: createFakeFiles(files),
    });
    files.set('t.csv', 'user_1\n');
    expect((await configErrorOf(() => people.refresh())).message).toBe('t.csv:1: has no team');
    expect(people.current().teamOf(ada)).toBe('a');
    files.set('t.csv', 'user_1,b\n');
    expect(await people.refresh()).toBe(true);
    expect(people.current().teamOf(ada)).toBe('b');
  });
});

test('a file that cannot be read keeps its last good value and does not delay any other', async () => {
  const files = new Map<string, string | Error>([
    ['/k', KEY],
    ['t.csv', 'user_1,a\n'],
  ]);
  const people = await createPeople({
    identity: 'hash',
    teamsFile: 't.csv',
    environment: { AGENT_PLATFORM_USERS_HASH_KEY_FILE: '/k' },
    files: createFakeFiles(files),
  });
  const { identity } = people.current();
  files.set('/k', new Error('gone'));
  files.set('t.csv', 'user_1,b\n');
  expect((await configErrorOf(() => people.refresh())).message).toContain('/k');
  expect(people.current().identity).toBe(identity);
  expect(people.current().teamOf(ada)).toBe('b');
});
