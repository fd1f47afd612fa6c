import { expect, test } from 'vitest';
import type { Core } from '../../src/app/core.ts';
import { Deployments } from '../../src/app/deployments.ts';
import { probeSuccess, readiness, statusOf } from '../../src/app/status.ts';
import { collectors } from '../../src/collectors/index.ts';
import type { Config } from '../../src/config/config.ts';
import { createRunStates, type RunState } from '../../src/pipeline/run-states.ts';
import { copilot } from '../../src/platforms/copilot/platform.ts';
import { PlatformError } from '../../src/text/errors.ts';
import { dayNamed } from '../support/day.ts';
import { startCore } from './start-core.ts';

const failure = { error: new PlatformError('auth', 'refused', { hint: 'another key' }), since: 7 };

/** The status of a service with one organization and every collector, with some parts of its core replaced. */
async function statusWith(change: Partial<Config> = {}, parts: (core: Core) => Partial<Core> = () => ({})) {
  const { config, core } = await startCore(':memory:');
  const all = new Map(collectors.map(({ name }) => [name, true]));
  const deployments = new Deployments({ ...config, collectors: all, ...change }, core);
  const frame = {
    ...{ version: '1.2', revision: 'abc', simulated: false, startedAt: 5, telemetryPath: '/own' },
    ready: { ready: true, waitingFor: [] },
  };
  const [org = expect.fail()] = deployments.inUse.config.orgs;
  const status = statusOf(frame, { ...core, ...parts(core) }, deployments.inUse);
  const [first = expect.fail()] = status.orgs;
  const of = (name: string) => first.collectors.find((one) => one.name === name) ?? expect.fail(name);
  return { config, core, org, status, first, of };
}

/** A core in whose runs a collector has this state. */
const running =
  (collector: string, state: Partial<RunState>) =>
  (core: Core): Partial<Core> => {
    core.runs.update('default', collector, state);
    return {};
  };

test('the status has what it is given, the links, and each collector of the organization', async () => {
  const { status, first, org } = await statusWith();
  const { orgs, ...rest } = status;
  const link = (href: string, label: string, description: string) => ({ href, label, description });
  expect(rest).toEqual({
    ...{ version: '1.2', revision: 'abc', simulated: false, startedAt: 5, now: Date.UTC(2026, 10, 20, 12) },
    ready: { ready: true, waitingFor: [] },
    links: [
      link('./own', 'Metrics', 'scraped by Prometheus'),
      link('./status', 'Status', 'this page as JSON'),
      link('./-/ready', 'Readiness', 'whether every collector has run'),
    ],
  });
  expect(orgs).toHaveLength(1);
  expect(first).toMatchObject({
    ...{ name: org.name, platform: { name: 'agent-platform' }, apiHost: '127.0.0.1:1' },
    orgId: undefined,
  });
  expect(first.platform).not.toHaveProperty('title');
  expect(first.collectors.map(({ name }) => name)).toEqual(collectors.map(({ name }) => name));
});

test('the dashboards are the first link where they are configured', async () => {
  const { status } = await statusWith({ dashboardUrl: 'https://grafana.example' });
  expect(status.links).toHaveLength(4);
  expect(status.links[0]).toEqual({
    ...{ href: 'https://grafana.example', label: 'Dashboards', description: 'trends in Grafana' },
  });
});

test.each([
  [0, 29],
  [10, 10],
  [90, 29],
])('with a retention of %d days, a collector of cheap days has a history of %d', async (retention, days) => {
  const { config } = await statusWith();
  const history = { ...config.history, start: dayNamed('2026-10-22'), retention };
  const { first } = await statusWith({ history });
  const known = first.collectors.filter(({ historyDays }) => historyDays !== undefined);
  expect(known.map(({ name, historyDays }) => [name, historyDays])).toEqual(
    ['tokens', 'tools', 'activity', 'productivity'].map((name) => [name, days]),
  );
});

test('a platform has its title, the collectors that it fills, and the days that it takes', async () => {
  const { config } = await statusWith();
  const orgs = config.orgs.map((org) => ({ ...org, platform: copilot, account: 'acme' }));
  const { first } = await statusWith({ orgs });
  expect(first.platform).toEqual({ name: 'copilot', title: copilot.title });
  const awaited = first.collectors.map(({ name, awaitedDays }) => [name, awaitedDays]);
  expect(Object.fromEntries(awaited)).toMatchObject({ tokens: undefined, activity: 2 });
  expect(first.collectors.map(({ name }) => name)).not.toContain('wiki');
  const ours = await statusWith();
  expect(ours.first.collectors.map(({ awaitedDays }) => awaitedDays)).toEqual(
    collectors.map(() => undefined),
  );
});

test('a collector has its series, its days, its next run and the path that answers', async () => {
  const { of, first } = await statusWith({}, (core) => {
    const path = { path: '/other', first: '/usual', triedAt: 0 };
    const day = dayNamed('2026-11-19');
    const shown = { day, uncovered: 3, idle: undefined, expired: true };
    const [one = '', other = '', ...rest] = collectors[0]?.families.map(({ name }) => name) ?? [];
    expect(rest.length).toBeGreaterThan(0);
    const published = new Map<string, object>([
      ['tokens', shown],
      ['spend', { ...shown, expired: false }],
      ['readiness', { ...shown, day: undefined, expired: false }],
    ]);
    core.runs.update('default', 'tokens', { lastRunAt: 3 });
    return {
      traffic: {
        pathsOf: () => new Map([['readiness', path]]),
        requestsToday: () => ({ sent: 4, limit: 9 }),
      },
      publisher: { of: () => ({ orgId: 'org-1', collectors: published, made: undefined }) },
      page: {
        seriesOf: () =>
          new Map([
            [one, 2],
            [other, 5],
            ['another', 100],
          ]),
      },
      scheduler: { nextRunOf: (job: string) => (job === 'default/tokens' ? 11 : undefined) },
    } as unknown as Partial<Core>;
  });
  expect([first.orgId, first.requestsToday]).toEqual(['org-1', { sent: 4, limit: 9 }]);
  expect(of('tokens')).toMatchObject({
    ...{ series: 7, dataDay: '2026-11-19', uncoveredDays: 3, nextRunAt: 11, path: undefined },
    published: false,
  });
  // A derived collector with data runs when its source does.
  expect(of('spend')).toMatchObject({
    ...{ series: 0, lastRunAt: 3, nextRunAt: 11, published: true, path: undefined },
  });
  expect(of('readiness')).toMatchObject({
    ...{ path: '/other', uncoveredDays: undefined, dataDay: undefined, published: true },
    nextRunAt: undefined,
  });
});

test.each<[string, Partial<RunState>, object]>([
  ['has not run', {}, { state: 'waiting', failure: undefined, lastRunAt: undefined }],
  ['runs', { running: true, lastRunAt: 3 }, { state: 'running', lastRunAt: 3 }],
  [
    'has succeeded',
    { lastRunAt: 3, lastSuccessAt: 2, lastDurationSeconds: 1 },
    { state: 'ok', lastRunAt: 3, lastSuccessAt: 2, lastDurationSeconds: 1, failure: undefined },
  ],
  [
    'fails',
    { lastRunAt: 3, failure },
    {
      state: 'failing',
      failure: { reason: 'auth', message: 'refused', hint: 'another key', since: 7 },
    },
  ],
  [
    'cannot read fields',
    {
      unknownFields: new Map([
        ['b', 1],
        ['a', 2],
      ]),
      missingFields: ['z', 'y'],
    },
    { unknownFields: ['a', 'b'], missingFields: ['z', 'y'] },
  ],
  ['reads all fields', { lastRunAt: 3 }, { unknownFields: undefined, missingFields: undefined }],
])('a collector that %s', async (_, state, expected) => {
  const { of } = await statusWith({}, running('tokens', state));
  expect(of('tokens')).toMatchObject(expected);
});

test('a derived collector waits for the first success of its source, and never fails itself', async () => {
  const fields = { unknownFields: new Map([['a', 1]]), missingFields: ['b'] };
  const stateOf = async (state: Partial<RunState>) =>
    (await statusWith({}, running('tokens', { ...fields, ...state }))).of('spend');
  expect(await stateOf({ lastRunAt: 3, failure })).toMatchObject({
    ...{ state: 'waiting', lastRunAt: undefined, failure: undefined },
    ...{ unknownFields: undefined, missingFields: undefined },
  });
  expect(await stateOf({ lastRunAt: 3, lastSuccessAt: 2, failure })).toMatchObject({
    ...{ state: 'ok', lastRunAt: 3, failure: undefined },
  });
});

const [tokens, wiki] = ['tokens', 'wiki'].map((collector) => ({ org: 'acme', collector }));

test.each([
  ['before all have run', 59_999, false, ['the first answer for acme/wiki']],
  ['after a minute', 60_000, true, []],
])('%s, the service waits for those that have not', (_, upMs, ready, waitingFor) => {
  const runs = createRunStates();
  runs.update('acme', 'tokens', { tried: true });
  if (tokens === undefined || wiki === undefined) return expect.fail();
  expect(readiness(runs, [tokens, wiki], upMs)).toEqual({ ready, waitingFor });
  expect(readiness(runs, [tokens], 0)).toEqual({ ready: true, waitingFor: [] });
});

test.each<[string, Partial<RunState>, boolean]>([
  ['it never succeeded', {}, false],
  ['it succeeded, also before a restart', { lastSuccessAt: 1 }, true],
  ['it fails since', { lastSuccessAt: 1, failure }, false],
])('a probe of an organization is good if each collector is: %s', (_, state, isGood) => {
  const runs = createRunStates();
  runs.update('acme', 'tokens', { lastSuccessAt: 1 });
  runs.update('acme', 'wiki', state);
  expect(probeSuccess(runs, 'acme', [{ name: 'tokens' }, { name: 'wiki' }])).toBe(isGood);
});
