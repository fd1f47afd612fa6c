import { describe, expect, test } from 'vitest';
import type { DatasetName } from '../../src/catalog/dataset.ts';
import type { Day } from '../../src/catalog/day.ts';
import { labelValue } from '../../src/catalog/label.ts';
import type { ApiRequest } from '../../src/catalog/source.ts';
import { withIdentity } from '../../src/client/client.ts';
import { createIdentityCheck } from '../../src/pipeline/identity.ts';
import { agentPlatform } from '../../src/platforms/agent-platform/platform.ts';
import { PlatformError } from '../../src/text/errors.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { createMemoryStore } from '../support/store.ts';

/** The identifier named by an endpoint, none, or a failure. */
type Named = string | undefined | 'fails';

function world(
  options: {
    endpoints?: readonly DatasetName[];
    orgId?: string;
    history?: ReturnType<typeof createMemoryStore>;
  } = {},
) {
  const endpoints = options.endpoints ?? ['tokens', 'tools', 'activity'];
  const history = options.history ?? createMemoryStore();
  const names = new Map<DatasetName, Named>(endpoints.map((endpoint) => [endpoint, 'org_1']));
  const asked: DatasetName[] = [];
  let key = 'key_1';
  const identity = createIdentityCheck({
    org: 'acme',
    orgId: options.orgId,
    endpoints,
    platform: agentPlatform,
    configured: { baseUrl: 'https://api.example.com' },
    isOwn: (id) => !id.startsWith('other:'),
    unnamed: 'ours',
    history,
    clock: { now: () => Date.UTC(2026, 10, 20) },
    log: createFakeLogger(),
  });
  const requests: ApiRequest[] = [];
  async function ask(request: ApiRequest) {
    const { endpoint } = request;
    requests.push(request);
    asked.push(endpoint);
    // The answers of concurrent requests arrive after all of them have started.
    await new Promise((resolve) => setImmediate(resolve));
    const named = names.get(endpoint);
    if (named === 'fails') throw new PlatformError('server', 'answered 500');
    return { body: { data: [], meta: { org_id: named } }, bytes: 1, key };
  }
  const get = withIdentity(ask, identity);
  const request = (endpoint: DatasetName) => ({ endpoint, host: 'api', path: '', query: {} }) as const;
  return {
    history,
    names,
    asked,
    requests,
    setKey(next: string) {
      key = next;
    },
    /** Queries endpoints concurrently, and returns the outcome of each. */
    get: (...endpoints: readonly DatasetName[]) =>
      Promise.all(
        endpoints.map((endpoint) =>
          get(request(endpoint)).then(
            () => 'admitted',
            (error: PlatformError) => error.reason,
          ),
        ),
      ),
    errorOf: (endpoint: DatasetName) =>
      get(request(endpoint)).catch((error: unknown) => error as PlatformError),
    orgId: async () => (await history.read('acme')).orgId,
  };
}

describe('the first identifier', () => {
  test('is kept, without an additional request', async () => {
    const { get, asked, orgId } = world();
    expect(await get('tokens', 'tools')).toEqual(['admitted', 'admitted']);
    expect([await orgId(), asked]).toEqual(['org_1', ['tokens', 'tools']]);
  });

  test('decides among concurrent answers, and another one is refused', async () => {
    const { get, names, orgId } = world();
    names.set('tools', 'org_2');
    expect(await get('tokens', 'tools', 'activity')).toEqual(['admitted', 'organization', 'admitted']);
    expect(await orgId()).toBe('org_1');
  });

  test('is not that of an answer without one, nor of one that fails', async () => {
    const { get, names, orgId } = world();
    names.set('tokens', undefined).set('tools', 'fails');
    expect(await get('tokens', 'tools')).toEqual(['admitted', 'server']);
    expect(await orgId()).toBeUndefined();
    expect(await get('activity')).toEqual(['admitted']);
    expect(await orgId()).toBe('org_1');
  });
});

test('an answer of another organization is rejected, with both names and a hint', async () => {
  const { get, names, errorOf, orgId } = world();
  await get('tokens', 'tools');
  names.set('tokens', 'org_2').set('tools', 'org_2').set('activity', 'org_2');
  const error = await errorOf('tokens');
  expect(error).toMatchObject({ reason: 'organization' });
  const text = `${(error as PlatformError).message} ${(error as PlatformError).hint}`;
  for (const part of ['org_1', 'org_2', 'org_id', '--api.org-id']) expect(text).toContain(part);
  expect(await get('tools', 'activity')).toEqual(['organization', 'organization']);
  expect(await orgId()).toBe('org_1');
});

test('an answer with an identifier on another platform is rejected, and gets no history', async () => {
  const { get, names, orgId } = world();
  names.set('tokens', 'other:127.0.0.1:octo').set('tools', undefined);
  expect(await get('tokens')).toEqual(['organization']);
  expect(await orgId()).toBeUndefined();
  expect(await get('activity', 'tokens')).toEqual(['admitted', 'organization']);
  expect(await orgId()).toBe('org_1');
});

test('an identifier that is configured is the only one', async () => {
  const history = createMemoryStore();
  await world({ history }).get('tokens', 'tools');
  const meant = world({ history, orgId: 'org_2' });
  expect(await meant.get('tokens')).toEqual(['organization']);
  meant.names.set('tokens', 'org_2');
  expect(await meant.get('tokens')).toEqual(['admitted']);
  expect(await meant.orgId()).toBe('org_2');
});

test('an identifier that is configured may be too long for a label, or not printable', async () => {
  for (const id of [`org_${'x'.repeat(300)}`, 'org_\u200b1']) {
    const meant = world({ orgId: labelValue(id) });
    meant.names.set('tokens', id);
    expect(await meant.get('tokens')).toEqual(['admitted']);
    expect(await meant.orgId()).toBe(labelValue(id));
  }
});

describe('answers without an identifier', () => {
  test('are admitted while none is known, and where no analytics are collected', async () => {
    const { get, names } = world();
    for (const endpoint of ['tokens', 'tools', 'activity'] as const) names.set(endpoint, 'fails');
    expect(await get('readiness', 'wiki')).toEqual(['admitted', 'admitted']);
    expect(await world({ endpoints: [] }).get('readiness')).toEqual(['admitted']);
  });

  test('need no additional request while the key stays the same', async () => {
    const { get, asked } = world();
    await get('tokens', 'tools');
    expect(await get('readiness', 'wiki')).toEqual(['admitted', 'admitted']);
    expect(asked).toHaveLength(4);
  });

  test('wait after a change of the key until an analytics answer has confirmed it', async () => {
    const { get, asked, names, setKey } = world();
    await get('tokens', 'tools');
    setKey('key_2');
    expect(await get('readiness', 'activity')).toEqual(['admitted', 'admitted']);
    expect(asked.slice(2)).toEqual(['readiness', 'activity', 'tokens']);
    setKey('key_3');
    expect(await get('wiki')).toEqual(['admitted']);
    expect(asked.slice(5)).toEqual(['wiki', 'tokens']);
    setKey('key_of_another');
    for (const endpoint of ['tokens', 'tools', 'activity'] as const) names.set(endpoint, 'org_2');
    expect(await get('readiness', 'wiki')).toEqual(['organization', 'organization']);
    for (const endpoint of ['tokens', 'tools', 'activity'] as const) names.set(endpoint, 'fails');
    expect(await get('readiness')).toEqual(['organization']);
  });

  test('wait after a refusal, also of the same key', async () => {
    const { get, names } = world();
    await get('tokens', 'tools');
    names.set('tokens', 'org_2');
    await get('tokens');
    names.set('tools', 'fails').set('activity', 'fails');
    expect(await get('wiki')).toEqual(['organization']);
    names.set('activity', 'org_1');
    expect(await get('wiki')).toEqual(['admitted']);
  });

  test('of an analytics endpoint wait as well', async () => {
    const { get, names, setKey } = world();
    await get('tokens', 'tools');
    setKey('key_of_another');
    names.set('tokens', undefined).set('tools', 'org_2').set('activity', 'org_2');
    expect(await get('tokens')).toEqual(['organization']);
  });

  test('are confirmed by the smallest request: one day that is over everywhere, and one person', async () => {
    const { get, requests, setKey } = world({ endpoints: ['users', 'tokens'] });
    await get('users');
    setKey('key_2');
    await get('readiness');
    setKey('key_3');
    await get('wiki');
    const [query, path] = [{ startDate: '2026-11-18', endDate: '2026-11-18' }, '/api/v1/analytics/users'];
    expect(requests.filter((one) => one.path !== '')).toEqual([
      { endpoint: 'users', host: 'api', path, query: { ...query, limit: '1' } },
      { endpoint: 'users', host: 'api', path, query: { ...query, limit: '1' } },
    ]);
  });

  test('are not confirmed by an identifier that is none', async () => {
    for (const named of ['', 5, null]) {
      const { get, names, orgId } = world();
      names.set('tokens', named as string);
      expect(await get('tokens'), String(named)).toEqual(['admitted']);
      expect(await orgId()).toBeUndefined();
    }
  });

  test('are known by their label, as in the rows of the same answer', async () => {
    for (const named of ['x'.repeat(257), 'org\u200b1', 'org\u0000', 'org\ud800']) {
      const { get, names, orgId } = world();
      names.set('tokens', named);
      expect(await get('tokens', 'tokens'), named).toEqual(['admitted', 'admitted']);
      expect(await orgId()).toBe(labelValue(named));
    }
  });
});

describe('a platform whose answers may name no organization', () => {
  const ALONE = 'vendor:api.example.com:plan';

  async function started(history = createMemoryStore()) {
    const log = createFakeLogger();
    const identity = createIdentityCheck({
      ...{ org: 'acme', orgId: undefined, endpoints: ['tokens'] },
      platform: {
        orgIdIn: (_, { body }) => (body ? `${ALONE}:${String(body)}` : undefined),
        identityAlone: () => ALONE,
      },
      configured: { baseUrl: 'https://api.example.com' },
      isOwn: (id) => id.startsWith('vendor:'),
      unnamed: 'foreign',
      history,
      clock: { now: () => Date.UTC(2026, 10, 20) },
      log,
    });
    const ask = () => Promise.reject(new Error('not used'));
    const get = (named: string | undefined) =>
      identity
        .accept(
          { endpoint: 'tokens', host: 'api', path: '', query: {} },
          { body: named, bytes: 1, key: 'key' },
          ask,
        )
        .then(
          () => 'admitted',
          (error: PlatformError) => error.reason,
        );
    return { history, get, log, orgId: async () => (await history.read('acme')).orgId };
  }

  const DAY = '2026-11-19' as Day;
  const put = (history: ReturnType<typeof createMemoryStore>) =>
    history.putDays('acme', 'tokens', {
      days: [DAY],
      rows: new Map([[DAY, { cost: 1 }]]),
      at: 0,
      orgId: undefined,
    });
  const hasDay = async (history: ReturnType<typeof createMemoryStore>) =>
    (await history.readDataset('acme', 'tokens')).days.has(DAY);

  test('has an identity of its own until one is named, with one warning, and keeps its history', async () => {
    const { history, get, log, orgId } = await started();
    expect([await get(undefined), await get(undefined), await orgId()]).toEqual([
      'admitted',
      'admitted',
      ALONE,
    ]);
    await put(history);
    expect([await get('1'), await orgId()]).toEqual(['admitted', `${ALONE}:1`]);
    expect([await get(undefined), await orgId()]).toEqual(['admitted', `${ALONE}:1`]);
    expect([await get('2'), await orgId()]).toEqual(['organization', `${ALONE}:1`]);
    expect(log.events.map(({ level }) => level)).toEqual(['warn']);
    expect(await hasDay(history)).toBe(true);
  });

  test.each(['1', undefined])(
    'leaves the history without an identifier to the platform before: %s',
    async (named) => {
      const history = createMemoryStore();
      await put(history);
      const { get } = await started(history);
      expect([await get(named), await hasDay(history)]).toEqual(['admitted', false]);
      await history.adopt('acme', undefined);
      expect(await hasDay(history)).toBe(true);
    },
  );

  test('keeps its history when the identifier is configured', async () => {
    const { history, get } = await started();
    await get(undefined);
    await put(history);
    await history.adopt('acme', `${ALONE}:1`, 'foreign');
    expect(await hasDay(history)).toBe(true);
    await history.adopt('acme', `${ALONE}:2`, 'foreign');
    expect(await hasDay(history)).toBe(false);
  });
});
