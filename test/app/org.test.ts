import { expect, test } from 'vitest';
import { deployOrg, isTouched, samePeople } from '../../src/app/org.ts';
import { collectorsOfPeople, showsOtherPeople } from '../../src/app/people.ts';
import { digestOf, notPolledOf } from '../../src/app/polled-orgs.ts';
import { ANONYMOUS } from '../../src/catalog/settings.ts';
import { collectors } from '../../src/collectors/index.ts';
import type { LiveConfig, OrgConfig } from '../../src/config/config.ts';
import { type Credential, createFixedCredential } from '../../src/config/credential.ts';
import { claude } from '../../src/platforms/claude/platform.ts';
import { startCore } from './start-core.ts';

type Change = { readonly org?: Partial<OrgConfig>; readonly config?: Partial<LiveConfig>; api?: object };

/** An organization that is deployed again with changed settings. */
async function redeployed({ org: orgChange, config: configChange, api }: Change) {
  const { config } = await startCore(':memory:');
  const [org = expect.fail()] = config.orgs;
  let created = 0;
  const core = {
    async createClient() {
      created += 1;
      return { close: () => undefined } as never;
    },
  };
  const people = config.people.current();
  const before = deployOrg({ org, config, people }, core, undefined);
  const next = { ...config, ...configChange, api: { ...config.api, ...api } };
  const after = deployOrg({ org: { ...org, ...orgChange }, config: next, people }, core, before);
  await after.connection.open();
  await after.connection.open();
  expect(created).toBe(1);
  return { before, after };
}

const key = (text: string) => createFixedCredential(text, 'AGENT_PLATFORM_API_KEY');
const place = { describe: () => 'another place', secrets: () => ['key'], problem: () => undefined };

test.each<[string, Change, boolean, boolean]>([
  ['nothing', {}, true, false],
  ['the same key anew', { org: { credential: key('key') } }, true, false],
  ['another key', { org: { credential: key('other') } }, false, true],
  ['the key in another place', { org: { credential: place as unknown as Credential } }, false, true],
  ['the address', { org: { baseUrl: 'http://127.0.0.1:2' } }, false, true],
  ['the other address', { org: { appUrl: 'http://127.0.0.1:2' } }, false, true],
  ['the identifier', { org: { orgId: 'org-1' } }, false, true],
  ['the hosts of links', { org: { linkHosts: ['a.example'] } }, false, true],
  ['the retries', { api: { retries: 7 } }, false, true],
  ['the rate', { api: { requestsPerSecond: 7 } }, true, false],
  ['the contract', { org: { contract: { seats: 5, prices: [] } } }, true, true],
])('where a reload changes %s', async (_, change, isSameClient, isTouchedToo) => {
  const { before, after } = await redeployed(change);
  expect(after.connection === before.connection).toBe(isSameClient);
  expect(isTouched(before, after)).toBe(isTouchedToo);
});

test.each<[string, Change, boolean]>([
  ['nothing', {}, true],
  ['the key', { org: { credential: key('other') } }, true],
  ['the contract', { org: { contract: { seats: 5, prices: [] } } }, false],
])('what is published stays where a reload changes %s', async (_, change, isSame) => {
  const { before, after } = await redeployed(change);
  expect(after.settings === before.settings).toBe(isSame);
});

test('an organization of another platform has the rows of its days without activity', async () => {
  const { after } = await redeployed({ org: { platform: claude, kind: 'console' } });
  expect(Object.keys(after.settings.idleRows ?? {})).toContain('tokens');
  expect((await redeployed({})).after.settings.idleRows).toBeUndefined();
});

test('a key has changed once', async () => {
  const { config } = await startCore(':memory:');
  const [org = expect.fail()] = config.orgs;
  let keys = ['one'];
  const credential = { ...org.credential, secrets: () => keys };
  const people = config.people.current();
  const { connection } = deployOrg({ org: { ...org, credential }, config, people }, {} as never, undefined);
  expect(connection.isRekeyed()).toBe(false);
  keys = ['one', 'two'];
  expect([connection.isRekeyed(), connection.isRekeyed()]).toEqual([true, false]);
  // Nothing has been opened.
  connection.close();
});

const teamBudgets = new Map([['web', 5]]);
test.each([
  ['nothing', {}, true],
  ['the mode', { identity: 'id' }, false],
  ['the teams', { teamRules: 'other' }, false],
  ['a budget', { teamBudgets }, false],
] as const)('people are the same, or not, where a file changes %s', (_, change, isSame) => {
  const now = { ...ANONYMOUS, ...change };
  expect(samePeople(ANONYMOUS, now) === ANONYMOUS).toBe(isSame);
  expect(samePeople(undefined, now)).toBe(now);
  const config = { people: { current: () => now } };
  expect(showsOtherPeople({ people: ANONYMOUS, config } as never)).toBe(!isSame);
});

test('only the rows of people depend on who they are', () => {
  expect(collectorsOfPeople({ collectors } as never)).toEqual(new Set(['users']));
});

test('the organizations that the leader does not have are not polled', () => {
  const [acme, globex] = ['acme', 'globex'].map((name) => ({ name, baseUrl: 'https://api.example.com' }));
  if (acme === undefined || globex === undefined) return expect.fail();
  const moved = { ...acme, baseUrl: 'https://other.example.com' };
  expect(new Set([acme, globex, moved].map(digestOf)).size).toBe(3);
  const leadership = {
    notPolled: (digests: readonly string[]) => digests.filter((one) => one !== digestOf(acme)),
  };
  expect(notPolledOf(leadership, [acme, globex])).toEqual(['globex']);
  expect(notPolledOf(leadership, [acme])).toEqual([]);
  expect(notPolledOf(undefined, [acme, globex])).toEqual([]);
});
