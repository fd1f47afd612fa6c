import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createLabels, createPeople } from '../../../src/config/people/people.ts';
import { createTeams, type TeamRule } from '../../../src/config/people/teams.ts';
import { parseTeams } from '../../../src/config/people/teams-file.ts';
import { personRow } from '../../../src/platforms/agent-platform/users.ts';
import { createFakeFiles } from '../../support/fake-files.ts';
import { configErrorOf, load } from '../loading.ts';

const ada = { id: 'user_1', email: 'ada@acme.example' };
const KEY = '0123456789abcdef';

function teamsOf(rules: readonly TeamRule[]) {
  return createTeams({ rules, budgets: new Map() });
}

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
    expect((await parseTeams(text, file)).rules).toEqual([
      { member: 'user_1', team: 'platform' },
      { member: 'Ben@Acme.example', team: 'web' },
      { member: '*@contractors.example', team: 'outside' },
    ]);
  });

  test.each([
    ['t.yaml', ''],
    ['t.yaml', '\ufeff \n\n'],
    ['t.yaml', '# who is where\n---\n'],
    ['t.csv', ''],
    ['t.csv', ' \r\n'],
    ['t.csv', '# who is where\n'],
    ['t.csv', 'email,team\n'],
  ])('%s without content is refused, since what writes it may have failed: %j', async (file, text) => {
    const failure = await configErrorOf(() => parseTeams(text, file));
    expect(failure.message).toBe(`${file} assigns nobody to a team`);
    expect(failure.hint).toContain('write {}');
  });

  test('may say that there are no teams', async () => {
    expect(await parseTeams('{} # nobody\n', 't.yaml')).toEqual({ rules: [], budgets: new Map() });
  });

  test('in YAML has the ids as they are written, however much they look like numbers', async () => {
    const ids = ['1234567890123456789', '0012', '0x1F', '1e3', '1.0', 'true', 'null', '~', '-0'];
    const { rules } = await parseTeams(ids.map((id) => `${id}: web\n`).join(''), 't.yaml');
    expect(rules.map(({ member }) => member)).toEqual(ids);
    const { budgets } = await parseTeams(
      `${FIVE.map((member) => `${member}: "007"\n`).join('')}credits_per_month: {007: 5}\n`,
      't.yaml',
    );
    expect([...budgets]).toEqual([['007', 5]]);
  });

  test.each(['t.yaml', 't.csv'])(
    'has the same names however their letters are composed: %s',
    async (file) => {
      const [separator, budget] =
        file === 't.csv' ? [',', ',Gru\u0308n,7\n'] : [': ', 'credits_per_month: {Gru\u0308n: 7}\n'];
      const members = ['ren\u00e9@acme.example', 'u2', 'u3', 'u4', 'u5', '"*@mu\u0308ller.example"'];
      const text = members
        .map((member, index) => `${member}${separator}Gr${index % 2 ? '\u00fc' : 'u\u0308'}n\n`)
        .join('');
      const teams = createTeams(await parseTeams(text + budget, file));
      expect([teams.size, [...teams.budgets]]).toEqual([1, [['Gr\u00fcn', 7]]]);
      for (const user_email of [
        'Rene\u0301@acme.example',
        'REN\u00c9@acme.example',
        'x@mu\u0308ller.example',
      ]) {
        const { person } = personRow.parse({ user_id: 'x', user_email, date: '2026-11-01' });
        expect(teams.teamOf(person.person, 'agent-platform')).toBe('Gr\u00fcn');
      }
      const twice = await configErrorOf(() =>
        parseTeams(`${text}rene\u0301@acme.example${separator}web\n`, file),
      );
      expect(twice.message).toBe(`${file}:7: is listed twice`);
    },
  );

  test.each([
    ['t.yaml', '- ada@acme.example\n', 't.yaml:1: must be a mapping'],
    ['t.yaml', 'user_1: a\nada@acme.example:\n', 't.yaml:2: has no team'],
    ['t.yaml', 'ada@acme.example: [a]\n', 't.yaml:1: has no team'],
    ['t.yaml', 'ada@acme.example: 7\n', 't.yaml:1: the team must be in quotes'],
    ['t.yaml', 'ada@acme.example: a\nada@acme.example: b\n', 't.yaml:2: is listed twice'],
    ['t.yaml', 'ada@acme.example: a\nADA@acme.example: b\n', 't.yaml:2: is listed twice'],
    ['t.yaml', '*@acme.example: a\n', 't.yaml:1: is not valid YAML'],
    ['t.yaml', '"": a\n', 't.yaml:1: has no user'],
    ['t.csv', 'ada,unassigned\n', 't.csv:1: has the team unassigned, which means credits of no team'],
    ['t.yaml', 'ada@acme.example: "a\\tb"\n', 't.yaml:1: has a team with control characters'],
    ['t.csv', 'user_1,a\nada@acme.example\n', 't.csv:2: has no team'],
    ['t.csv', 'user_1,a\nada@acme.example,a,,b\n', 't.csv:2: has more than three fields'],
    ['t.csv', 'user_1,a\n\nuser_1,b\n', 't.csv:3: is listed twice'],
    ['t.csv', 'user_1,a\n"ada@acme.example,b\n', 't.csv:2: is not valid CSV'],
    ['t.csv', `user_1,${'x'.repeat(101)}\n`, 't.csv:1: has a team of more than 100 characters'],
  ])('%s with an error is refused with its line and without its words: %j', async (file, text, message) => {
    const failure = await configErrorOf(() => parseTeams(text, file));
    expect(failure.message).toBe(message);
    expect(JSON.stringify(failure)).not.toMatch(/ada@|acme/i);
  });
});

describe('people with logins in a teams file', () => {
  const text = [
    'zoe@acme.example: web',
    'people:',
    '  platform:',
    '    - {email: Ada@acme.example, logins: {copilot: Octo-Ada, agent-platform: "0012"}}',
    '    - email: ben@acme.example',
    '  web:',
    '    - email: cai@acme.example',
    '      logins: {copilot: octo-cai}',
    '',
  ].join('\n');

  test('are rules beside the plain ones', async () => {
    expect((await parseTeams(text, 't.yaml')).rules).toEqual([
      { member: 'zoe@acme.example', team: 'web' },
      {
        member: 'Ada@acme.example',
        team: 'platform',
        logins: { copilot: 'Octo-Ada', 'agent-platform': '0012' },
      },
      { member: 'ben@acme.example', team: 'platform' },
      { member: 'cai@acme.example', team: 'web', logins: { copilot: 'octo-cai' } },
    ]);
  });

  test.each([
    ['by login on a platform that knows no address', 'copilot', 'octo-ada', undefined, 'platform'],
    ['by login on another one', 'agent-platform', '0012', undefined, 'platform'],
    ['by the address where there is no login', 'agent-platform', 'user_7', 'cai@acme.example', 'web'],
    ['by a plain line', 'copilot', 'octo-zoe', 'zoe@acme.example', 'web'],
    ['not by the login of another platform', 'agent-platform', 'octo-ada', undefined, 'none'],
    ['not without login and address', 'copilot', 'octo-ben', undefined, 'none'],
  ])('are found %s', async (_, platform, id, email, team) => {
    const { teamOf } = createTeams(await parseTeams(text, 't.yaml'));
    expect(teamOf({ id, email }, platform)).toBe(team);
  });

  test('are found by a login that stands alone, in any case, as GitHub compares them; ids of other platforms differ by it', () => {
    const { teamOf } = teamsOf([{ member: 'octo-ada', team: 'web' }]);
    expect(teamOf({ id: 'Octo-Ada', email: undefined }, 'copilot')).toBe('web');
    expect(teamOf({ id: 'Octo-Ada', email: undefined }, 'agent-platform')).toBe('none');
  });

  test('are found by a login that is an address, before that of somebody else', () => {
    const { teamOf } = teamsOf([
      { member: 'a@acme.example', team: 'a', logins: { copilot: 'a2@acme.example' } },
      { member: '*@acme.example', team: 'rest' },
    ]);
    expect(teamOf({ id: 'x', email: 'a2@acme.example' }, 'copilot')).toBe('a');
    expect(teamOf({ id: 'x', email: 'a2@acme.example' }, 'agent-platform')).toBe('rest');
  });

  test('count for the budget of their team once each', async () => {
    const members = FIVE.map((name) => `    - {email: ${name.replace(/@.*/, '')}@acme.example}\n`).join('');
    const { budgets } = await parseTeams(
      `people:\n  web:\n${members}credits_per_month: {web: 7}\n`,
      't.yaml',
    );
    expect([...budgets]).toEqual([['web', 7]]);
    const four = members.replace(/.*\n/, '');
    const logins = four.replace('@acme.example}', '@acme.example, logins: {copilot: octo-1}}');
    const mistake = await configErrorOf(() =>
      parseTeams(`people:\n  web:\n${logins}credits_per_month: {web: 7}\n`, 't.yaml'),
    );
    expect(mistake.message).toContain('the team has 4 people in this file');
  });

  test('change the fingerprint of what is stored with a login', () => {
    const rules = [{ member: 'a@acme.example', team: 'web' }];
    const fingerprints = [undefined, { copilot: 'one' }, { copilot: 'two' }].map(
      (logins) => teamsOf(rules.map((rule) => ({ ...rule, ...(logins && { logins }) }))).fingerprint,
    );
    expect(new Set(fingerprints).size).toBe(3);
    expect(fingerprints[0]).toBe(teamsOf(rules).fingerprint);
  });

  const ada = '{email: ada@acme.example, logins: {copilot: octo-ada}}';

  test.each([
    ['people: 7\n', 't.yaml:1: people: must be a mapping from team to people'],
    ['people: [ada]\n', 't.yaml:1: people: must be a mapping from team to people'],
    ['people:\n  web: ada@acme.example\n', 't.yaml:2: must be a list of people'],
    ['people:\n  web:\n', 't.yaml:2: must be a list of people'],
    [
      'people:\n  web:\n    - ada@acme.example\n',
      't.yaml:3: must be a person with email and logins, and nothing else',
    ],
    [
      'people:\n  web:\n    - {email: ada@acme.example, login: a}\n',
      't.yaml:3: must be a person with email and logins, and nothing else',
    ],
    ['people:\n  web:\n    - logins: {copilot: octo-ada}\n', 't.yaml:3: has a person without an email'],
    ['people:\n  web:\n    - email: "*@acme.example"\n', 't.yaml:3: has a person without an email'],
    ['people:\n  web:\n    - email: octo-ada\n', 't.yaml:3: has a person without an email'],
    [
      'people:\n  unassigned:\n    - email: ada@acme.example\n',
      't.yaml:3: has the team unassigned, which means credits of no team',
    ],
    [
      'people:\n  web:\n    - email: ada@acme.example\n      logins: octo-ada\n',
      't.yaml:4: logins must be a mapping from platform to login',
    ],
    [
      'people:\n  web:\n    - email: ada@acme.example\n      logins:\n        copilot: 7\n',
      't.yaml:5: the login must be in quotes',
    ],
    [
      'people:\n  web:\n    - email: ada@acme.example\n      logins:\n        copilot:\n',
      't.yaml:5: has no login',
    ],
    [
      'people:\n  web:\n    - email: ada@acme.example\n      logins:\n        gitlab: ada\n',
      /^t\.yaml:5: has a login on another platform than agent-platform, copilot(, |$)/,
    ],
    [`people:\n  web:\n    - ${ada}\n    - {email: ADA@acme.example}\n`, 't.yaml:4: is listed twice'],
    [`ada@acme.example: web\npeople:\n  web:\n    - ${ada}\n`, 't.yaml:4: is listed twice'],
    [`people:\n  web:\n    - ${ada}\nada@acme.example: web\n`, 't.yaml:4: is listed twice'],
    [`people:\n  web:\n    - ${ada}\nocto-ada: web\n`, 't.yaml:3: is listed twice'],
    [
      `people:\n  web:\n    - ${ada}\n    - email: ben@acme.example\n      logins:\n        copilot: OCTO-ada\n`,
      't.yaml:6: is listed twice',
    ],
    [
      'people:\n  web:\n    - email: ada@acme.example\n    - {email: ben@acme.example, logins: {copilot: Ada@acme.example}}\n',
      't.yaml:4: is listed twice',
    ],
  ])('with a mistake are refused with their line and without their words: %j', async (mistaken, message) => {
    const failure = await configErrorOf(() => parseTeams(mistaken, 't.yaml'));
    if (typeof message === 'string') expect(failure.message).toBe(message);
    else expect(failure.message).toMatch(message);
    expect(failure.message).not.toMatch(/ada|ben|acme/i);
  });

  test('may have one login on two platforms, and an address as theirs', async () => {
    const logins = '{copilot: octo-ada, agent-platform: octo-ada}';
    const { rules } = await parseTeams(
      `people:\n  web:\n    - {email: ada@acme.example, logins: ${logins}}\n    - {email: ben@acme.example, logins: {copilot: ben@acme.example}}\n`,
      't.yaml',
    );
    expect(rules).toHaveLength(2);
  });
});

const FIVE = ['u1', 'u2', 'ada@acme.example', 'u4', 'u5'];

describe('budgets in a teams file', () => {
  const yaml = FIVE.map((member) => `${member}: web\n`).join('');
  const csv = `user,team,credits_per_month\n${FIVE.map((member) => `${member},web,\n`).join('')}`;

  test.each([
    ['t.yaml', `${yaml}credits_per_month: {web: 40000000}\n`],
    ['t.yaml', `credits_per_month:\n  web: 4e7\n${yaml}`],
    ['t.csv', `${csv},web,40000000\n`],
  ])('%s %#', async (file, text) => {
    const { rules, budgets } = await parseTeams(text, file);
    expect([...budgets]).toEqual([['web', 40_000_000]]);
    expect(rules.map(({ member }) => member)).toEqual(FIVE);
  });

  test.each([
    ['t.yaml', `${yaml}budgets:\n  web: {amount: 1500, currency: USD, per: month}\n`],
    ['t.yaml', `budgets: {web: {currency: USD, amount: 1.5e3}}\n${yaml}`],
    ['t.csv', `${csv},web,1500 USD\n`],
  ])('are in money, too: %s %#', async (file, text) => {
    const { rules, budgets } = await parseTeams(text, file);
    expect([...budgets]).toEqual([['web', { amount: 1500, currency: 'USD' }]]);
    expect(rules).toHaveLength(5);
  });

  test('of several teams are some in credits and some in money', async () => {
    const ops = FIVE.map((member) => `o${member},ops\n`).join('');
    const { budgets } = await parseTeams(`${csv}${ops},web,1500 USD\n,ops,7\n`, 't.csv');
    expect(budgets).toEqual(
      new Map<string, unknown>([
        ['ops', 7],
        ['web', { amount: 1500, currency: 'USD' }],
      ]),
    );
    const { budgets: same } = await parseTeams(`${yaml}budgets: {web: {credits_per_month: 7}}\n`, 't.yaml');
    expect([...same]).toEqual([['web', 7]]);
  });

  test('may be empty, and their key remains a user id with a team as its value', async () => {
    expect(await parseTeams('credits_per_month:\n', 't.yaml')).toEqual({ rules: [], budgets: new Map() });
    const { rules } = await parseTeams('credits_per_month: web\n', 't.yaml');
    expect(rules).toEqual([{ member: 'credits_per_month', team: 'web' }]);
  });

  test.each([
    [
      't.yaml',
      `${yaml}credits_per_month: 5\n`,
      't.yaml:6: credits_per_month: must be a mapping from team to credits',
    ],
    [
      't.yaml',
      `${yaml}credits_per_month: [web]\n`,
      't.yaml:6: credits_per_month: must be a mapping from team to credits',
    ],
    [
      't.yaml',
      `${yaml}credits_per_month: {web: many}\n`,
      /^t.yaml:6: credits_per_month.web: must be a number above 0/,
    ],
    [
      't.yaml',
      `${yaml}credits_per_month: {web: 0}\n`,
      /^t.yaml:6: credits_per_month.web: must be a number above 0/,
    ],
    [
      't.yaml',
      `${yaml}credits_per_month:\n  ada@acme.example: 5\n`,
      't.yaml:7: credits_per_month: names a team without people in this file',
    ],
    [
      't.yaml',
      `a: ops\nb: ops\n"*@acme.example": ops\ncredits_per_month:\n  ops: 5\n`,
      't.yaml:5: credits_per_month.ops: the team has 2 people in this file; a budget needs at least 5',
    ],
    [
      't.yaml',
      `${yaml.replaceAll('web', 'other')}credits_per_month: {other: 5}\n`,
      't.yaml:6: credits_per_month.other: small teams are summed into this name; it cannot have a budget',
    ],
    ['t.csv', `${csv},ops,5\n`, 't.csv:7: credits_per_month: names a team without people in this file'],
    [
      't.csv',
      `u9,ops\n,ops,5\n`,
      't.csv:2: credits_per_month.ops: the team has 1 person in this file; a budget needs at least 5',
    ],
    ['t.yaml', `${yaml}budgets: 5\n`, 't.yaml:6: budgets: must be a mapping from team to budget'],
    [
      't.yaml',
      `${yaml}budgets: {web: {amount: 5}}\n`,
      't.yaml:6: budgets.web: needs either credits_per_month, or an amount and its currency',
    ],
    [
      't.yaml',
      `${yaml}budgets: {web: {amount: 5, currency: USD, credits_per_month: 5}}\n`,
      't.yaml:6: budgets.web: needs either credits_per_month, or an amount and its currency',
    ],
    [
      't.yaml',
      `${yaml}budgets: {web: {amount: 5, currency: USD, per: year}}\n`,
      't.yaml:6: budgets.web.per: "year" is not one of month',
    ],
    [
      't.yaml',
      `${yaml}credits_per_month: {web: 5}\nbudgets: {web: {amount: 5, currency: USD}}\n`,
      't.yaml:7: budgets: names a team that has a budget already',
    ],
    [
      't.csv',
      `${csv},web,5 dollars\n`,
      't.csv:7: budgets.web.currency: "dollars" is not a currency of three capital letters, such as USD',
    ],
    ['t.csv', `${csv},web,a lot\n`, /^t.csv:7: credits_per_month.web: must be a number above 0/],
    ['t.csv', `${csv}u6,web,5\n`, 't.csv:7: has both a user and a budget'],
    ['t.csv', `${csv},web,5\n,web,6\n`, 't.csv:8: is listed twice'],
  ])('%s with a mistake is refused with its line and key: %j', async (file, text, message) => {
    const mistake = await configErrorOf(() => parseTeams(text, file));
    expect(mistake.message).toMatch(message);
    expect(JSON.stringify(mistake)).not.toMatch(/ada@|acme/i);
  });

  test('name teams, not amounts, in the fingerprint of what is stored', () => {
    const rules = FIVE.map((member) => ({ member, team: 'web' }));
    const fingerprint = (budgets: readonly (readonly [string, number])[]) =>
      createTeams({ rules, budgets: new Map(budgets) }).fingerprint;
    expect(fingerprint([['web', 1]])).toBe(fingerprint([['web', 2]]));
    expect(fingerprint([['web', 1]])).not.toBe(fingerprint([]));
    // As before there were budgets: nothing is fetched again.
    expect(fingerprint([])).toBe('345f3f7acfcda286');
  });
});

describe('a person belongs to the team', () => {
  const teams = teamsOf([
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
    expect(teams.teamOf(somebody, 'agent-platform')).toBe(team);
  });

  test('and a pattern takes no longer for a hostile address', () => {
    const hostile = teamsOf([{ member: `${'*a'.repeat(2000)}*b`, team: 't' }]);
    expect(hostile.teamOf({ id: 'x', email: 'a'.repeat(100_000) }, 'agent-platform')).toBe('none');
  });

  test('parts of a pattern do not overlap', () => {
    const { teamOf } = teamsOf([{ member: 'ab*b', team: 't' }]);
    expect(['ab', 'abb', 'abxb'].map((email) => teamOf({ id: 'x', email }, 'agent-platform'))).toEqual([
      'none',
      't',
      't',
    ]);
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
      '/gone (AGENT_PLATFORM_USERS_HASH_KEY_FILE) does not exist',
    ],
    [
      'a file with a short key',
      { AGENT_PLATFORM_USERS_HASH_KEY_FILE: '/short' },
      '/short (AGENT_PLATFORM_USERS_HASH_KEY_FILE): the hash key has fewer than 16 bytes',
    ],
  ])('by hash with %s is refused', async (_, environment, message) => {
    const files = { '/short': 'planted-secret\n' };
    const failure = await configErrorOf(() => load({ args: ['--users.identity=hash'], environment, files }));
    expect(failure.message).toBe(message);
    expect(JSON.stringify(failure)).not.toContain('planted-secret');
  });

  test.each([`${KEY}\n`, `\ufeff${KEY}\r\n`, `${KEY}  \n`, `${KEY}\t\n\n`])(
    'the hashes are those of the key, however its file was written: %j',
    async (content) => {
      const files = new Map([['/k', content]]);
      const people = await peopleWith('hash', { AGENT_PLATFORM_USERS_HASH_KEY_FILE: '/k' }, files);
      expect(people.current().labelOf(ada)).toBe('eb628dcd9011f511');
    },
  );

  test('a hash key may contain blanks and any character, but nothing that was pasted along with it', async () => {
    const phrase = 'zwölf Boxkämpfer jagen Viktor';
    const people = await peopleWith('hash', { AGENT_PLATFORM_USERS_HASH_KEY: phrase });
    expect(people.current().labelOf(ada)).toBe(createLabels('hash', phrase).labelOf(ada));
    const pasted = { AGENT_PLATFORM_USERS_HASH_KEY: `HASH_KEY=${KEY}` };
    expect((await configErrorOf(() => peopleWith('hash', pasted))).message).toBe(
      'AGENT_PLATFORM_USERS_HASH_KEY contains NAME= in front of the key: write the key alone',
    );
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
    expect(inFile.people.current().teamOf(ada, 'agent-platform')).toBe('a');
    const byFlag = await load({ args: ['--config.file=/etc/x/c.yml', '--teams.file=t.csv'], files });
    expect(byFlag.people.current().teamOf(ada, 'agent-platform')).toBe('b');
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
    expect(people.current().teamOf(ada, 'agent-platform')).toBe('a');
    files.set('t.csv', 'user_1,b\n');
    expect(await people.refresh()).toBe(true);
    expect(people.current().teamOf(ada, 'agent-platform')).toBe('b');
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
  expect(people.current().teamOf(ada, 'agent-platform')).toBe('b');
});
