import { expect, test, vi } from 'vitest';
import { Leading } from '../../src/app/leading.ts';
import { digestOf } from '../../src/app/polled-orgs.ts';
import { Replica } from '../../src/app/replica.ts';
import { defaultPlatform } from '../../src/platforms/index.ts';
import { NotStored } from '../../src/store/database.ts';
import type { Leader, LeaderEvents } from '../../src/store/leader.ts';
import type { Store } from '../../src/store/store.ts';
import { replacing } from '../support/replacing.ts';
import { storedOrg } from '../support/store.ts';
import { waitFor } from '../support/wait-for.ts';
import { startCore } from './start-core.ts';

const away = () => new NotStored('away', { reason: 'unreachable', detail: 'away', hint: '' });

/** The leadership of a process that leads during a term; `events` are those that it has begun to take part with. */
function leadershipDuring(term: AbortSignal | undefined) {
  const started: { events?: LeaderEvents } = {};
  const leadership: Partial<Leader> = {
    isLeader: () => term !== undefined,
    term: () => term,
    async start(given) {
      started.events = given;
    },
  };
  return { leadership: leadership as Leader, started };
}

test('a term that could not begin, since the database went away again, begins with the next beat', async () => {
  const { core, clock } = await startCore(':memory:');
  let isAway = true;
  const { leadership, started } = leadershipDuring(new AbortController().signal);
  const ran: string[] = [];
  vi.spyOn(core.scheduler, 'catchUp').mockImplementation((names) => void ran.push(...names));
  const parts = {
    ...core,
    store: { ...core.store, leadership },
    history: replacing(core.history, {
      async standing(org: string) {
        if (isAway) throw away();
        return core.history.standing(org);
      },
    }),
    leading: new Leading(leadership, clock),
  };
  const job = { name: 'acme/tokens', org: 'acme', collector: 'tokens' };
  const config = { name: 'acme', platform: defaultPlatform };
  const orgs = new Map([['acme', { config, settings: {} }]]);
  const deployment = {
    jobs: new Map([[job.name, job]]),
    orgs,
    fetching: [{ name: 'tokens', dataset: { name: 'tokens' } }],
  };
  await new Replica(parts, {
    inUse: deployment,
    publishSafely: async () => undefined,
    refresh: async () => undefined,
  } as never).start();
  started.events?.onLead();
  await new Promise((resolve) => setImmediate(resolve));
  started.events?.onBeat();
  await new Promise((resolve) => setImmediate(resolve));
  expect(ran).toEqual([]);
  isAway = false;
  started.events?.onBeat();
  await waitFor(() => expect(ran).toEqual(['acme/tokens']));
});

test('a process that leads no more drops its retries', async () => {
  const { core, clock } = await startCore(':memory:');
  const { leadership, started } = leadershipDuring(undefined);
  const dropRetries = vi.spyOn(core.scheduler, 'dropRetries');
  const parts = {
    ...core,
    store: { ...core.store, leadership },
    leading: new Leading(leadership, clock),
  };
  await new Replica(parts, {
    inUse: { jobs: new Map(), orgs: new Map(), fetching: [] },
    publishSafely: async () => undefined,
    refresh: async () => undefined,
  } as never).start();
  expect(dropRetries).not.toHaveBeenCalled();
  started.events?.onEnd();
  expect(dropRetries).toHaveBeenCalledOnce();
});

test('organizations that the leader does not have are named once, when no roll-out takes so long', async () => {
  const { core, clock, log } = await startCore(':memory:');
  let orgs: readonly string[] = ['other'];
  const { leadership } = leadershipDuring(undefined);
  await new Replica({ ...core, store: { ...core.store, leadership }, notPolled: () => orgs }, {
    inUse: { orgs: new Map() },
    publishSafely: async () => undefined,
    refresh: async () => undefined,
  } as never).start();
  const pass = async (seconds: number) => {
    for (let passed = 0; passed < seconds; passed += 1) await clock.advance(1_000);
  };
  const said = () =>
    log().match(/level=error msg="The replica that polls has other organizations.*orgs=other number=1/g);
  await pass(290);
  expect(said()).toBeNull();
  await pass(20);
  await waitFor(() => expect(said()).toHaveLength(1));
  await pass(600);
  orgs = [];
  await pass(2);
  orgs = ['other'];
  await pass(290);
  expect(said()).toHaveLength(1);
  await pass(20);
  await waitFor(() => expect(said()).toHaveLength(2));
});

test('a process that does not lead publishes an organization once for each change of what is stored of it', async () => {
  const { core, clock } = await startCore(':memory:');
  const { leadership } = leadershipDuring(undefined);
  const revisions = new Map([
    ['acme', '1'],
    ['globex', '1'],
    ['foreign', '1'],
  ]);
  const published: (readonly string[])[] = [];
  const history = replacing(core.history, { revisions: async () => revisions });
  await new Replica({ ...core, history, store: { ...core.store, leadership } }, {
    inUse: {
      orgs: new Map([
        ['acme', {}],
        ['globex', {}],
      ]),
      fetching: [],
    },
    publishSafely: async (orgs: readonly string[]) => void published.push(orgs),
    refresh: async () => undefined,
  } as never).start();
  await clock.advance(1_000);
  await waitFor(() => expect(published).toEqual([['acme', 'globex']]));
  revisions.set('globex', '2');
  revisions.set('foreign', '2');
  await clock.advance(1_000);
  await waitFor(() => expect(published).toEqual([['acme', 'globex'], ['globex']]));
});

/** A replica with one organization, whose events the test sends; what it does is recorded in order. */
async function startReplica(history: Partial<Store> = {}) {
  const { core, clock, log } = await startCore(':memory:');
  const { leadership, started } = leadershipDuring(new AbortController().signal);
  const done: string[] = [];
  const note =
    (what: string) =>
    (...given: readonly unknown[]) =>
      void done.push([what, ...given.map((one) => JSON.stringify(one))].join(' '));
  vi.spyOn(core.scheduler, 'catchUp').mockImplementation((names) => note('run')(names));
  vi.spyOn(core.traffic, 'restart').mockImplementation(note('restart'));
  vi.spyOn(core.instruments, 'forgetRuns').mockImplementation(note('forget'));
  const org = { name: 'acme', baseUrl: 'https://api.example.com', platform: defaultPlatform };
  const job = { name: 'acme/tokens', org: 'acme', collector: 'tokens' };
  const inUse = {
    jobs: new Map([[job.name, job]]),
    orgs: new Map([['acme', { config: org, settings: {} }]]),
    fetching: [{ name: 'tokens', dataset: { name: 'tokens' } }],
    people: { identity: 'hash', teamRules: 'rules', teamBudgets: new Map() },
    config: { orgs: [org] },
  };
  const parts = {
    ...core,
    store: { ...core.store, leadership },
    history: replacing(core.history, history),
    leading: new Leading(leadership, clock),
  };
  const deployments = {
    inUse,
    publishSafely: async (orgs?: readonly string[]) => note('publish')(...(orgs ? [orgs] : [])),
    refresh: async () => note('refresh')(),
  };
  await new Replica(parts, deployments as never).start();
  const events = started.events ?? expect.fail();
  return { core, parts, clock, log, done, events, org };
}

test('a term begins with every collector, and the requests that another process has counted', async () => {
  const { events, done } = await startReplica();
  events.onLead();
  const begun = ['restart', 'run ["acme/tokens"]', 'publish'];
  await waitFor(() => expect(done).toEqual(begun));
  // It has begun.
  events.onBeat();
  expect(done).toEqual([...begun, 'run []']);
});

test('a connection that is back runs what was missed at once, a beat only after a rest', async () => {
  const { events, parts, done, clock } = await startReplica();
  parts.leading.missed('acme/tokens');
  events.onBeat();
  parts.leading.missed('acme/tokens');
  events.onBeat();
  events.onResume();
  await clock.advance(60_000);
  parts.leading.missed('acme/tools');
  events.onBeat();
  const runs = done.filter((what) => what.startsWith('run'));
  expect(runs).toEqual(['run ["acme/tokens"]', 'run []', 'run ["acme/tokens"]', 'run ["acme/tools"]']);
});

test('after its term, a process forgets its runs, and publishes as one that follows', async () => {
  const { events, core, done } = await startReplica();
  core.runs.update('acme', 'tokens', { lastRunAt: 1 });
  events.onEnd();
  await waitFor(() => expect(done).toEqual(['forget "acme"', 'publish']));
  expect(core.runs.get('acme', 'tokens').lastRunAt).toBeUndefined();
});

test('other processes learn the settings and the organizations, and may ask for a refresh', async () => {
  const { events, done, org } = await startReplica();
  expect([events.settings(), events.orgs()]).toEqual(['["hash","rules"]', [digestOf(org)]]);
  events.onRefresh();
  events.onOtherSettings();
  await waitFor(() => expect(done).toEqual(['refresh', 'publish']));
});

test('the ages of what another process has stored are shown', async () => {
  let at = 5;
  const revisions = new Map([['acme', '1']]);
  const { core, clock, parts } = await startReplica({
    revisions: async () => revisions,
    standing: async () => ({
      ...storedOrg({}),
      dataset: (name) => ({ ...storedOrg({}).dataset(name), succeededAt: at }),
    }),
  });
  const shown = () => core.runs.get('acme', 'tokens').lastSuccessAt;
  await clock.advance(1_000);
  await waitFor(() => expect(shown()).toBe(5));
  at = 6;
  revisions.set('acme', '2');
  await clock.advance(1_000);
  await waitFor(() => expect(shown()).toBe(6));
  expect(parts.leading.role()).toBe('leader');
});

test.each([
  ['an unknown error', new Error('odd'), 1],
  ['an outage, which the store reports', away(), 0],
])('what cannot be read is logged if it is %s', async (_, error, times) => {
  let reads = 0;
  const { clock, log } = await startReplica({
    async revisions() {
      reads += 1;
      throw error;
    },
  });
  await clock.advance(1_000);
  await clock.advance(1_000);
  await waitFor(() => expect(reads).toBe(2));
  await clock.advance(0);
  const lines = log().match(/level=error msg="What other processes have stored cannot be read"/g) ?? [];
  expect(lines).toHaveLength(2 * times);
});

test.each([
  ['is logged', false, 1],
  ['is none of a process that ends', true, 0],
])('a failure at the beginning of a term %s', async (_, isEnding, times) => {
  const failing = Promise.withResolvers<never>();
  failing.promise.catch(() => undefined);
  const { events, core, log } = await startReplica({ standing: () => failing.promise });
  events.onLead();
  if (isEnding) core.stopping.abort();
  failing.reject(new Error('odd'));
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(log().match(/level=error msg="Taking over failed"/g) ?? []).toHaveLength(times);
});

test('of many organizations that the leader does not have, ten are named', async () => {
  const { core, clock, log } = await startCore(':memory:');
  const { leadership } = leadershipDuring(undefined);
  const orgs = Array.from({ length: 12 }, (_, index) => `o${index}`);
  const parts = { ...core, store: { ...core.store, leadership }, notPolled: () => orgs };
  await new Replica(parts, {
    inUse: { orgs: new Map() },
    publishSafely: async () => undefined,
  } as never).start();
  for (const ms of [300_000, 1_000]) await clock.advance(ms);
  await waitFor(() => expect(log()).toContain(`orgs="${orgs.slice(0, 10).join(' ')}" number=12`));
});
