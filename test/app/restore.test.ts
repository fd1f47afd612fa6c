import { expect, test } from 'vitest';
import { assignName, restore, restoreRuns } from '../../src/app/restore.ts';
import { isFetching } from '../../src/catalog/collector.ts';
import type { DatasetName } from '../../src/catalog/dataset.ts';
import { collectors } from '../../src/collectors/index.ts';
import { createRunStates } from '../../src/pipeline/run-states.ts';
import { claude } from '../../src/platforms/claude/platform.ts';
import { defaultPlatform } from '../../src/platforms/index.ts';
import { UNCONFIRMED } from '../../src/store/store.ts';
import { storedOrg } from '../support/store.ts';

const ID = 'claude:api.anthropic.com:console:1';
const ours = {
  name: 'acme',
  platform: defaultPlatform,
  baseUrl: 'https://api.example.com',
  orgId: undefined,
};
const theirs = { ...ours, platform: claude, baseUrl: 'https://api.anthropic.com', kind: 'console' };
const asIs: readonly unknown[] = [];

test.each<[string, typeof ours, { orgId?: string; confirmedKey?: string }, readonly unknown[]]>([
  ['nothing is stored under it', ours, {}, asIs],
  ['it is named as before', ours, { orgId: 'org-1' }, asIs],
  ['its data was set aside', ours, { confirmedKey: UNCONFIRMED }, ['acme', undefined, 'ours']],
  ['its key waits to be confirmed', ours, { orgId: 'org-1', confirmedKey: UNCONFIRMED }, asIs],
  ['another key was confirmed', ours, { confirmedKey: 'digest' }, asIs],
  ['it is that of another platform now', ours, { orgId: ID }, ['acme', undefined, 'ours']],
  ['it is configured', { ...ours, orgId: 'org-1' as never }, { orgId: 'org-1' }, ['acme', 'org-1', 'ours']],
  ['what is stored names nobody on this platform', theirs, {}, ['acme', undefined, 'foreign']],
  ['it is of this platform', theirs, { orgId: ID }, asIs],
])('the name of an organization where %s', async (_, org, stored, adopted) => {
  const calls: unknown[] = [];
  const history = {
    standing: async () => ({ ...storedOrg({}), ...stored }),
    adopt: async (...given: readonly unknown[]) => void calls.push(...given),
  };
  await assignName(history, org);
  expect(calls).toEqual(adopted);
});

/** What a service restores that leads or follows, where tokens and tools have succeeded before. */
async function restored({ isLeading = true, hasRun = false } = {}) {
  const at = new Map<DatasetName, number>([
    ['tokens', 5],
    ['tools', 6],
  ]);
  const standing = {
    ...storedOrg({}),
    dataset: (name: DatasetName) => ({ ...storedOrg({}).dataset(name), succeededAt: at.get(name) }),
  };
  const runs = createRunStates();
  if (hasRun) runs.update('acme', 'tokens', { lastRunAt: 9, lastSuccessAt: 8 });
  const [ages, lags, adopted]: unknown[][] = [[], [], []];
  let reads = 0;
  const core = {
    history: {
      async standing() {
        reads += 1;
        return standing;
      },
      adopt: async (name: string) => void adopted?.push(name),
      dayLags: async () => new Map([['tokens', { appeared: 'some' }]]),
    },
    leading: { permit: () => (isLeading ? { ended: undefined } : undefined) },
    instruments: {
      restoreLastSuccess: (age: unknown) => void ages?.push(age),
      dayLags: (...lag: readonly unknown[]) => void lags?.push(lag),
    },
    runs,
  } as never;
  const fetching = collectors.filter(isFetching).filter(({ name }) => /^(?:tokens|tools|wiki)$/.test(name));
  const org = { config: { ...ours, orgId: 'org-1' }, settings: { name: 'acme' } };
  const deployment = { fetching, orgs: new Map([['acme', org]]) } as never;
  await restore(core, deployment);
  const successes = fetching.map(({ name }) => runs.get('acme', name).lastSuccessAt);
  /** Resolves with how often the store is asked now. */
  async function again(): Promise<number> {
    const before = reads;
    await restoreRuns(core, deployment, 'acme');
    return reads - before;
  }
  return { successes, ages, lags, adopted, runs, again };
}

test('a restart continues the ages, the lags and the names of what is stored', async () => {
  const { successes, ages, lags, adopted } = await restored();
  expect(successes).toEqual([5, 6, undefined]);
  expect(ages).toEqual([
    { org: 'acme', collector: 'tokens', at: 5 },
    { org: 'acme', collector: 'tools', at: 6 },
  ]);
  // Every dataset of days has its lags, which begin with none.
  expect(lags).toEqual([
    ['acme', 'tokens', { appeared: 'some' }],
    ['acme', 'tools', {}],
  ]);
  expect(adopted).toEqual(['acme']);
});

test('a process that follows shows when runs succeeded, without metrics of its own', async () => {
  const { successes, ages, lags, adopted } = await restored({ isLeading: false });
  expect(successes).toEqual([5, 6, undefined]);
  expect([ages, lags, adopted]).toEqual([[], [], []]);
});

test('what this process has run is not replaced, and needs no look into the store', async () => {
  const { successes, ages, runs, again } = await restored({ hasRun: true });
  expect(successes).toEqual([8, 6, undefined]);
  expect(ages).toEqual([{ org: 'acme', collector: 'tools', at: 6 }]);
  expect(await again()).toBe(1);
  for (const name of ['tools', 'wiki']) runs.update('acme', name, { lastRunAt: 9 });
  expect(await again()).toBe(0);
});
