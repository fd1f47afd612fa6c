import { describe, expect, onTestFinished, test } from 'vitest';
import { fetchPast, firstExpensiveDayFor } from '../../src/app/past.ts';
import { withoutFamilies } from '../../src/catalog/collector.ts';
import { ANONYMOUS, type OrgSettings } from '../../src/catalog/settings.ts';
import { collectors } from '../../src/collectors/index.ts';
import { createFixedCredential } from '../../src/config/credential.ts';
import { createLoggedProgress } from '../../src/log/progress.ts';
import { createFaultyPlatform } from '../client/faulty/platform.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { createMemoryStore } from '../support/store.ts';
import { waitFor } from '../support/wait-for.ts';
import { startCore } from './start-core.ts';

const NOW = Date.UTC(2026, 10, 20, 12);

/** A platform, a store and the command's own fetching from the 10th on; days of history begin on the 8th. */
async function createFetching({ retries = 0 } = {}) {
  const clock = createFakeClock(NOW, { autoAdvance: true });
  const platform = createFaultyPlatform({ now: clock.now, users: 12, repos: 3, days: 30 });
  const { url } = await platform.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => platform.close());
  const { config } = await startCore(':memory:');
  const history = createMemoryStore(clock);
  const log = createFakeLogger();
  const stopping = new AbortController();
  const credential = createFixedCredential('sandbox-acme-owner', 'the test');
  const parts = {
    ...{ history, clock, log, version: '1', stopping: stopping.signal },
    progress: createLoggedProgress({ clock, log }),
    config: {
      ...config,
      api: { ...config.api, retries, requestsPerSecond: 1000 },
      history: { ...config.history, start: dayNamed('2026-11-08') },
      orgs: config.orgs.map((org) => ({ ...org, name: 'acme', baseUrl: url, appUrl: url, credential })),
    },
  };
  /** Resolves with the names of those that failed. */
  function fetched(...names: readonly string[]) {
    const named = names.map((name) => collectors.find((one) => one.name === name) ?? expect.fail(name));
    return fetchPast(parts, named, dayNamed('2026-11-10'));
  }
  const daysOf = async (dataset: 'tokens' | 'tools' | 'users') =>
    [...(await history.readDataset('acme', dataset)).days.keys()].toSorted();
  /** The endpoints that were asked. */
  const asked = () => [...new Set(platform.requests.map(({ path }) => path.split('/').at(-1)))].toSorted();
  const waited = () => clock.waits.filter((ms) => ms >= 20_000);
  return { parts, platform, clock, history, stopping, fetched, daysOf, asked, waited };
}

describe('the past is fetched', () => {
  test('for the named collectors alone, from the start of the history on', async () => {
    const { fetched, daysOf, asked, history } = await createFetching();
    expect(await fetched('tools', 'tokens')).toEqual([]);
    expect(asked()).toEqual(['tokens', 'tools']);
    const days = await daysOf('tokens');
    expect([days[0], days.at(-1)]).toEqual(['2026-11-08', '2026-11-19']);
    expect(await daysOf('tools')).toEqual(days);
    // The requests count as those of this day.
    expect(await history.requestsOf('acme')).toEqual({ day: '2026-11-20', requests: expect.any(Number) });
  });

  test('for a derived collector from that which has its days', async () => {
    const { fetched, daysOf, asked } = await createFetching();
    expect(await fetched('spend')).toEqual([]);
    expect(asked()).toEqual(['tokens']);
    expect(await daysOf('tokens')).toHaveLength(12);
  });

  test('of people only from the first day that is wanted', async () => {
    const { fetched, daysOf } = await createFetching();
    expect(await fetched('users')).toEqual([]);
    const days = await daysOf('users');
    expect([days[0], days.at(-1)]).toEqual(['2026-11-10', '2026-11-19']);
  });

  test('also where families are excluded', async () => {
    const { parts, asked } = await createFetching();
    const [tokens] = collectors;
    const excluded = new Set(tokens?.families.map(({ name }) => name));
    expect(
      await fetchPast(parts, withoutFamilies(collectors, excluded).slice(0, 1), dayNamed('2026-11-10')),
    ).toEqual([]);
    expect(asked()).toEqual(['tokens']);
  });
});

describe('a platform that asks for a pause', () => {
  test('of a minute is asked again after it', async () => {
    const { fetched, platform, clock, daysOf, waited } = await createFetching();
    platform.setFaults(['429=1:60']);
    const { wait } = clock;
    clock.wait = (ms, signal) => {
      if (ms >= 20_000) platform.setFaults([]);
      return wait(ms, signal);
    };
    expect(await fetched('tokens')).toEqual([]);
    expect(await daysOf('tokens')).toHaveLength(12);
    expect(waited()).toHaveLength(1);
  });

  test('without end is asked once more, since it has brought nothing', async () => {
    const { fetched, platform, clock, waited } = await createFetching();
    platform.setFaults(['429=1:60']);
    const { wait } = clock;
    clock.wait = (ms, signal) => {
      if (waited().length > 2) platform.setFaults([]);
      return wait(ms, signal);
    };
    expect(await fetched('tokens')).toEqual(['acme/tokens']);
    expect(waited()).toHaveLength(1);
  });

  test.each(['429=1:62', '500=1', '503=1:30'])(
    'longer, or that fails, is not asked again: %s',
    async (fault) => {
      const { fetched, platform, waited } = await createFetching();
      platform.setFaults([fault]);
      expect(await fetched('tokens')).toEqual(['acme/tokens']);
      expect(waited()).toEqual([]);
    },
  );

  test('is not asked again by a command that is interrupted during it', async () => {
    const { fetched, platform, clock, stopping } = await createFetching();
    platform.setFaults(['429=1:60']);
    const { wait } = clock;
    clock.wait = (ms, signal) => {
      if (ms >= 20_000) stopping.abort();
      return wait(ms, signal);
    };
    expect(await fetched('tokens')).toEqual(['acme/tokens']);
    expect(platform.requests).toHaveLength(1);
  });
});

test('an interrupted command ends its requests', async () => {
  const { fetched, platform, stopping } = await createFetching({ retries: 5 });
  platform.setFaults(['slow=1:600000']);
  const fetching = fetched('tokens');
  await waitFor(() => expect(platform.unanswered).toEqual(['tokens']));
  stopping.abort();
  expect(await fetching).toEqual([]);
});

const readiness = { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: false } as const;
const team = { people: { ...ANONYMOUS, teamBudgets: new Map([['web', 1]]) } };
const anybody = { people: ANONYMOUS };
const since = (day: string) => ({ contract: { prices: [], periodStarts: Number(day) } });

test.each<[string, readonly Partial<OrgSettings>[]]>([
  ['2026-02-14', []],
  ['2026-02-14', [anybody]],
  ['2026-02-14', [{}]],
  ['2026-02-01', [anybody, team]],
  ['2026-02-10', [{ ...team, ...since('10') }]],
  ['2026-01-20', [team, { ...anybody, ...since('20') }]],
])('people are fetched from %s on, by the budgets of teams and the months of %j', (first, orgs) => {
  const settings = orgs.map((org) => ({ name: 'acme', readiness, ...org }));
  expect(firstExpensiveDayFor(dayNamed('2026-02-14'), settings)).toBe(first);
});
