import { expect, test, vi } from 'vitest';
import { Leading } from '../../src/app/leading.ts';
import { Replica } from '../../src/app/replica.ts';
import { defaultPlatform } from '../../src/platforms/index.ts';
import { NotStored } from '../../src/store/database.ts';
import type { Leader, LeaderEvents } from '../../src/store/leader.ts';
import { replacing } from '../support/replacing.ts';
import { waitFor } from '../support/wait-for.ts';
import { startCore } from './start-core.ts';

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
        if (isAway) throw new NotStored('away', { reason: 'unreachable', detail: 'away', hint: '' });
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
