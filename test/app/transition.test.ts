import { expect, test, vi } from 'vitest';
import { Deployments } from '../../src/app/deployments.ts';
import { jobsOf } from '../../src/app/transition.ts';
import type { Config } from '../../src/config/config.ts';
import { PlatformError } from '../../src/text/errors.ts';
import { startCore } from './start-core.ts';

/** A service with two organizations, and which of its jobs a reload restarts. */
async function startTwo() {
  const { config, core } = await startCore(':memory:');
  const [acme = expect.fail()] = config.orgs;
  const orgs = ['acme', 'globex'].map((name) => ({ ...acme, name }));
  const both: Config = { ...config, orgs };
  const createClient = async () => ({ close: () => undefined }) as never;
  const deployments = new Deployments(both, { ...core, createClient });
  const retired = vi.spyOn(core.scheduler, 'retire');
  async function restartedBy(change: Partial<Config>) {
    retired.mockClear();
    await deployments.apply({ ...both, ...change });
    return retired.mock.calls.flatMap(([names]) => [...names]);
  }
  return { core, both, orgs, deployments, restartedBy };
}

test('a reload restarts the jobs that are gone, moved or may be helped, and no others', async () => {
  const { core, both, orgs, deployments, restartedBy } = await startTwo();
  const of = (org: string) => jobsOf(deployments.inUse).flatMap((job) => (job.org === org ? job.name : []));
  const [acme = expect.fail(), globex = expect.fail()] = orgs;
  expect(await restartedBy({})).toEqual([]);
  const failure = { error: new PlatformError('auth', 'no'), since: 0 };
  core.runs.update('acme', 'tokens', { failure });
  expect(await restartedBy({ api: { ...both.api, requestsPerSecond: 7 } })).toEqual([]);
  const seats = { ...acme, contract: { seats: 5, prices: [] } };
  expect(await restartedBy({ orgs: [seats, globex] })).toEqual(['acme/tokens']);
  const all = of('globex');
  expect(await restartedBy({ orgs: [seats, { ...globex, baseUrl: 'http://127.0.0.1:2' }] })).toEqual(all);
  expect(all.length).toBeGreaterThan(3);
  expect(await restartedBy({ orgs: [seats] })).toEqual(all);
  const collectors = new Map([...both.collectors, ['tools', false]]);
  expect(await restartedBy({ orgs: [seats], collectors })).toContain('acme/tools');
  await core.scheduler.stop();
});

test('what a reload removes is forgotten, and what stays is not', async () => {
  const { core, both, orgs, restartedBy } = await startTwo();
  for (const org of ['acme', 'globex'])
    for (const name of ['tokens', 'tools']) core.runs.update(org, name, { lastRunAt: 1 });
  const known = () =>
    ['acme', 'globex'].flatMap((org) =>
      ['tokens', 'tools']
        .filter((name) => core.runs.get(org, name).lastRunAt !== undefined)
        .map((name) => `${org}/${name}`),
    );
  const forgotten = vi.spyOn(core.instruments, 'forgetOrg');
  const collectors = new Map([...both.collectors, ['tools', false]]);
  await restartedBy({ collectors });
  expect([known(), forgotten.mock.calls]).toEqual([['acme/tokens', 'globex/tokens'], []]);
  await restartedBy({ collectors, orgs: orgs.slice(0, 1) });
  expect([known(), forgotten.mock.calls]).toEqual([['acme/tokens'], [['globex']]]);
  await core.scheduler.stop();
});

test('the jobs of some collectors are refreshed, or all', async () => {
  const { deployments } = await startTwo();
  const { inUse } = deployments;
  expect(jobsOf(inUse, new Set(['tools'])).map(({ name }) => name)).toEqual(['acme/tools', 'globex/tools']);
  expect(jobsOf(inUse)).toHaveLength(inUse.jobs.size);
});

test('a reload applies how much is logged, and how many runs work at a time', async () => {
  const { core, both, restartedBy } = await startTwo();
  const [level, limit] = [vi.spyOn(core.log, 'setLevel'), vi.spyOn(core.turns, 'setLimit')];
  await restartedBy({ log: { ...both.log, level: 'debug' }, api: { ...both.api, maxConcurrentRequests: 3 } });
  expect([level.mock.calls, limit.mock.calls]).toEqual([[['debug']], [[3]]]);
  await core.scheduler.stop();
});
