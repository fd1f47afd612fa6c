import { expect, test, vi } from 'vitest';
import { Deployments } from '../../src/app/deployments.ts';
import { aboutFamilies } from '../../src/collectors/index.ts';
import { Publisher } from '../../src/pipeline/publisher.ts';
import type { Store } from '../../src/store/store.ts';
import { PlatformError } from '../../src/text/errors.ts';
import { replacing } from '../support/replacing.ts';
import { startCore } from './start-core.ts';

/** A core that reads this history, and publishes empty texts. */
function withHistory(
  core: Awaited<ReturnType<typeof startCore>>['core'],
  history: Store,
  onRender: (org: string) => void = () => undefined,
) {
  const publisher = new Publisher({
    ...{ ...core, history, aboutFamilies },
    async renderText(_family, org) {
      onRender(org);
      return undefined;
    },
  });
  return { ...core, history, publisher };
}

/** Applies settings with other people to this history; resolves with why they are not applied wholly. */
async function applyOthers(
  { config, core }: Awaited<ReturnType<typeof startCore>>,
  history: Partial<Store>,
): Promise<string | undefined> {
  const deployments = new Deployments(config, withHistory(core, replacing(core.history, history)));
  const people = { ...config.people, current: () => ({ ...config.people.current(), identity: 'id' }) };
  return (await deployments.apply({ ...config, people })).missed;
}

/** Applies settings while the stored data is being read, which then fails. */
async function applyUnread({ isEnding }: { readonly isEnding: boolean }) {
  const started = await startCore(':memory:');
  const { core, log } = started;
  const opened = Promise.withResolvers<never>();
  // Whoever waits for it gets the error.
  opened.promise.catch(() => undefined);
  const applying = applyOthers(started, { read: () => opened.promise, amend: () => opened.promise });
  if (isEnding) core.stopping.abort();
  opened.reject(new Error('not opened'));
  return { missed: await applying, log: log() };
}

test('a reload is incomplete if the history cannot be used', async () => {
  const { missed, log } = await applyUnread({ isEnding: false });
  expect([missed, log]).toEqual([
    'not opened',
    expect.stringContaining('Applying the new settings was incomplete'),
  ]);
});

test('a reload is incomplete if identities that may not be stored any longer stay', async () => {
  const started = await startCore(':memory:');
  const amend = () => Promise.reject(new Error('not writable'));
  expect(await applyOthers(started, { amend })).toBe('not writable');
  expect(started.log()).toContain('Applying the new settings was incomplete');
});

test('a reload that applies everything has missed nothing', async () => {
  expect(await applyOthers(await startCore(':memory:'), {})).toBeUndefined();
});

test('a reload reports no error if the service ends before the history was read', async () => {
  expect((await applyUnread({ isEnding: true })).log).not.toContain('level=error');
});

/** A started service whose platform refuses every request, the number of which is counted; what the store says of lags is given. */
async function startRefused(dayLags: Store['dayLags']) {
  const { config, core, log } = await startCore(':memory:');
  let asked = 0;
  async function refuse(): Promise<never> {
    asked += 1;
    throw new PlatformError('auth', 'no');
  }
  const client = {
    get: refuse,
    pages: refuse,
    lines: () => Promise.reject(new Error('not used')),
    inSlices: () => Promise.reject(new Error('not used')),
    close: () => undefined,
  };
  const history = replacing(core.history, { dayLags });
  const deployments = new Deployments(config, {
    ...withHistory(core, history),
    createClient: async () => client,
  });
  core.scheduler.adopt([...deployments.inUse.jobs.values()]);
  core.scheduler.start();
  await core.scheduler.refresh();
  /** Resolves with the number of requests of a run of every collector. */
  async function run(): Promise<number> {
    const before = asked;
    await core.scheduler.refresh();
    return asked - before;
  }
  return { config, deployments, run, log };
}

test('after a reload while the store cannot be read, collectors run as before', async () => {
  const { config, deployments, run, log } = await startRefused(() => Promise.reject(new Error('no store')));
  const before = await run();
  expect(before).toBeGreaterThan(0);
  await deployments.apply(config);
  expect(log()).toContain('Applying the new settings was incomplete');
  expect(await run()).toBe(before);
});

test('a run that begins while a reload waits for the store is one of the new settings', async () => {
  const reading = Promise.withResolvers<void>();
  const read = Promise.withResolvers<Awaited<ReturnType<Store['dayLags']>>>();
  const { config, deployments, run } = await startRefused(() => {
    reading.resolve();
    return read.promise;
  });
  const before = await run();
  const applying = deployments.apply(config);
  await reading.promise;
  expect(await run()).toBe(before);
  read.resolve(new Map());
  await applying;
});

test('a reload renders the organizations whose texts or settings it changes, and no others', async () => {
  const { config, core } = await startCore(':memory:');
  const rendered = new Set<string>();
  const [acme = expect.fail()] = config.orgs;
  const beta = { ...acme, name: 'beta' };
  const both = { ...config, orgs: [acme, beta] };
  const deployments = new Deployments(
    both,
    withHistory(core, core.history, (org) => rendered.add(org)),
  );
  async function renderedBy(next: typeof both) {
    rendered.clear();
    await deployments.apply(next);
    return [...rendered].sort();
  }
  expect(await renderedBy(both)).toEqual(['beta', acme.name]);
  const again = { ...config.people, current: () => ({ ...config.people.current() }) };
  expect(await renderedBy({ ...both, people: again, orgs: [{ ...acme }, { ...beta }] })).toEqual([]);
  const seats = { ...beta, contract: { seats: 5, prices: [] } };
  expect(await renderedBy({ ...both, orgs: [acme, seats] })).toEqual(['beta']);
  const limits = { ...config.limits, valuesPerLabel: () => 7 };
  expect(await renderedBy({ ...both, orgs: [acme, seats], limits })).toEqual(['beta', acme.name]);
  const other = { ...config.people, current: () => ({ ...config.people.current(), identity: 'id' }) };
  expect(await renderedBy({ ...both, orgs: [acme, seats], limits, people: other })).toEqual([
    'beta',
    acme.name,
  ]);
  await core.scheduler.stop();
});

/** A service of which one collector fails, with a key in a file that the test changes. */
async function startWithKey() {
  const { config, core } = await startCore(':memory:');
  const [org = expect.fail()] = config.orgs;
  const file = { keys: ['first'], problem: undefined as string | undefined, reads: 0 };
  const credential = {
    ...org.credential,
    secrets: () => file.keys,
    problem: () => file.problem,
    async refresh() {
      file.reads += 1;
      throw new Error('not there');
    },
  };
  const deployments = new Deployments({ ...config, orgs: [{ ...org, credential }] }, core);
  const caughtUp: string[] = [];
  vi.spyOn(core.scheduler, 'catchUp').mockImplementation((names) => void caughtUp.push(...names));
  const { look } =
    [...deployments.watched()].find(({ name }) => name.startsWith('the key file')) ?? expect.fail();
  return { core, file, look, caughtUp, org: org.name };
}

const refused = { failure: { error: new PlatformError('auth', 'no'), since: 0 } };

test('a new key runs the collectors that fail, or that may have sent the previous one', async () => {
  const { core, file, look, caughtUp, org } = await startWithKey();
  core.runs.update(org, 'tokens', refused);
  core.runs.update(org, 'tools', { running: true });
  core.runs.update(org, 'wiki', { lastRunAt: 1 });
  expect([await look(), caughtUp]).toEqual([false, []]);
  file.keys = ['second'];
  expect([await look(), caughtUp]).toEqual([true, [`${org}/tokens`, `${org}/tools`]]);
  expect([await look(), caughtUp.length, file.reads]).toEqual([false, 2, 3]);
});

test('a new key is left to the next run where nothing fails', async () => {
  const { core, file, look, caughtUp, org } = await startWithKey();
  file.keys = ['second'];
  expect([await look(), caughtUp, file.reads]).toEqual([false, [], 0]);
  // It is still new for what fails later.
  core.runs.update(org, 'tokens', refused);
  expect([await look(), caughtUp]).toEqual([true, [`${org}/tokens`]]);
});

test('a key file that cannot be used is a problem, with what to do', async () => {
  const { file, look } = await startWithKey();
  file.problem = 'the key is empty';
  await expect(look()).rejects.toMatchObject({
    message: 'the key is empty',
    hint: expect.stringContaining('write'),
  });
});

/** A service whose teams are in a file: what a look at it finds. */
async function lookAtPeople(look: () => Promise<boolean>, change: object) {
  const { config, core, log } = await startCore(':memory:');
  let now = config.people.current();
  const people = {
    ...config.people,
    current: () => now,
    async refresh() {
      now = { ...now, ...change };
      return await look();
    },
  };
  const deployments = new Deployments({ ...config, people }, withHistory(core, core.history));
  const before = deployments.inUse;
  const refreshed = vi.spyOn(core.scheduler, 'refresh').mockResolvedValue();
  const [watched = expect.fail()] = deployments.watched();
  const found = await watched.look().catch((error: Error) => error.message);
  return { found, isReplaced: deployments.inUse !== before, refreshes: refreshed.mock.calls.length, log };
}

const budgets = { teamBudgets: new Map([['web', { value: 5, currency: 'EUR' }]]) };
const failing = () => Promise.reject(new Error('unreadable'));

test.each<[string, () => Promise<boolean>, object, unknown, boolean, number]>([
  ['has not changed', async () => false, {}, false, false, 0],
  ['has the same content anew', async () => true, {}, true, false, 0],
  ['has other teams', async () => true, { teamRules: 'other' }, true, true, 1],
  ['has other budgets', async () => true, budgets, true, true, 0],
  ['cannot be read, beside one that has changed', failing, { teamRules: 'other' }, 'unreadable', true, 1],
])('a file about people that %s', async (_, look, change, found, isReplaced, refreshes) => {
  const seen = await lookAtPeople(look, change);
  expect([seen.found, seen.isReplaced, seen.refreshes]).toEqual([found, isReplaced, refreshes]);
  expect(seen.log().includes('Budgets of teams limit nothing')).toBe(change === budgets);
});

test.each([
  ['an unknown error', false, true],
  ['an error of a service that ends', true, false],
])('what cannot be published or removed is logged: %s', async (_, isEnding, isLogged) => {
  const { config, core, log } = await startCore(':memory:');
  const odd = () => Promise.reject(new Error('odd'));
  const parts = withHistory(core, replacing(core.history, { read: odd, standing: odd, amend: odd }));
  const deployments = new Deployments(config, parts);
  if (isEnding) core.stopping.abort();
  await deployments.publishSafely();
  await deployments.stripIdentities();
  const logged = (text: string) => log().includes(`level=error msg="${text}"`);
  expect([logged('Publishing failed'), logged('History sweep failed')]).toEqual([isLogged, isLogged]);
});

test('a reload without a possible client closes the clients that it made, and no others', async () => {
  const { config, core } = await startCore(':memory:');
  const [acme = expect.fail()] = config.orgs;
  const closed: string[] = [];
  const createClient = async ({ name }: { readonly name: string }) => {
    if (name === 'bad') throw new Error('no client');
    return { close: () => void closed.push(name) } as never;
  };
  const deployments = new Deployments(config, { ...core, createClient });
  await Promise.all([...deployments.inUse.orgs.values()].map(({ connection }) => connection.open()));
  const before = deployments.inUse;
  const orgs = ['fresh', 'bad'].map((name) => ({ ...acme, name }));
  await expect(deployments.apply({ ...config, orgs: [acme, ...orgs] })).rejects.toThrow('no client');
  expect([closed, deployments.inUse === before]).toEqual([['fresh'], true]);
});
