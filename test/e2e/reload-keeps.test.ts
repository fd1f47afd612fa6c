import { describe, expect, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { createFileCredential } from '../../src/config/credential.ts';
import { LOOK_MS } from '../../src/config/followed.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { waitFor } from '../support/wait-for.ts';
import { firstRuns, HOUR, type Story, startStory } from './harness.ts';

/** One of days, what is derived from it, and one of documents: a reload treats all collectors of a kind alike. */
const KINDS = ['tokens', 'spend', 'readiness'];

/** Requires new clients, so that nothing survives by accident in the old ones. */
const otherClients = (config: Config): Config => ({
  ...config,
  api: { ...config.api, timeout: config.api.timeout + 1 },
});

/** The sizes in days of the windows requested of one dataset since a request, oldest request first. */
function windowsOf(story: Story, dataset: string, since: number): readonly number[] {
  return story.platform.requests.slice(since).flatMap(({ path, query }) => {
    if (!path.endsWith(`/${dataset}`)) return [];
    const days = (Date.parse(query['endDate'] ?? '') - Date.parse(query['startDate'] ?? '')) / (24 * HOUR);
    return [days + 1];
  });
}

function statesOf(story: Story) {
  return story.service.status().orgs.flatMap(({ collectors }) => collectors);
}

describe('a reload that replaces the clients keeps', () => {
  test('the run states, and since when runs fail', async () => {
    const story = await startStory({ sandbox: { faults: ['500=1@wiki'] }, flags: ['api.retries=0'] });
    const before = statesOf(story);
    expect(before.find(({ name }) => name === 'wiki')?.failure?.since).toBeDefined();
    story.clock.advance(HOUR);
    expect(await story.reload(otherClients)).toEqual({ ok: true });
    // What fails is repeated.
    const kept = (states: typeof before) => states.map((one) => (one.name === 'wiki' ? one.failure : one));
    expect(kept(statesOf(story))).toEqual(kept(before));
    await firstRuns(story.service);
    expect(await story.poll()).toEqual(['acme/wiki']);
    const since = (states: typeof before) => states.find(({ name }) => name === 'wiki')?.failure?.since;
    expect(since(statesOf(story))).toBe(since(before));
    expect(story.logged('level=warn', 'collector=wiki')).toHaveLength(1);
  });

  test('the path that answers, which is said once', async () => {
    const story = await startStory({ sandbox: { faults: ['moved'] }, collectors: ['readiness'] });
    expect(await story.reload(otherClients)).toEqual({ ok: true });
    const before = story.platform.requests.length;
    expect(await story.poll()).toEqual([]);
    const paths = new Set(story.platform.requests.slice(before).map(({ path }) => path));
    expect(paths).toEqual(new Set(['/api/organization/agent-readiness-reports']));
    expect(story.logged('Another path of the platform answers')).toHaveLength(1);
  });

  test('the counters', async () => {
    const story = await startStory({ collectors: ['tokens'] });
    const name = 'agent_platform_exporter_api_requests_total';
    const before = (await story.page()).value(name, { endpoint: 'tokens', code: '200' });
    expect(before).toBeGreaterThan(0);
    await story.reload(otherClients);
    expect((await story.page()).value(name, { endpoint: 'tokens', code: '200' })).toBe(before);
  });

  test('what is published', async () => {
    const story = await startStory({ collectors: KINDS });
    const before = await story.page();
    story.platform.setFaults(['500=1']);
    await story.reload(otherClients);
    expect((await story.page()).platform()).toEqual(before.platform());
  });

  test('the pauses that the platform asked for, but not those of another address', async () => {
    const story = await startStory({ flags: ['api.retries=0'], collectors: KINDS });
    story.platform.setFaults(['429=1:1800']);
    expect(await story.poll()).not.toEqual([]);
    story.platform.setFaults([]);
    await story.reload(otherClients);
    const asked = story.platform.requests.length;
    expect(await story.poll()).not.toEqual([]);
    expect(story.platform.requests).toHaveLength(asked);

    const elsewhere = story.platformUrl.replace('127.0.0.1', 'localhost');
    await story.reload((config) => ({
      ...config,
      orgs: config.orgs.map((org) => ({ ...org, baseUrl: elsewhere })),
    }));
    await waitFor(() => expect(story.platform.requests.length).toBeGreaterThan(asked));
  });

  test('the requests of the day, counted against the daily limit', async () => {
    const story = await startStory({ flags: ['api.daily-request-limit=30', 'history.start=2026-11-01'] });
    for (let round = 0; round < 3; round++) {
      await story.reload((config) => ({ ...otherClients(config), api: { ...config.api, retries: round } }));
      await story.poll();
    }
    for (let round = 0; round < 3; round++) await story.poll();
    expect(story.platform.requests).toHaveLength(30);
  });

  test('the learned size of windows', async () => {
    const story = await startStory({ collectors: ['tokens'] });
    const asked = story.platform.requests.length;
    await story.reload((config) => ({
      ...otherClients(config),
      history: { ...config.history, start: '2026-08-01' as Config['history']['start'] },
    }));
    expect(await story.poll()).toEqual([]);
    // Without that knowledge, windows start at one day and grow eightfold.
    const past = windowsOf(story, 'tokens', asked).filter((days) => days > 1);
    expect(past[0]).toBe(30);
  });

  test('the days that were set aside', async () => {
    const story = await startStory({
      ...{ sandbox: { faults: ['bad-day=2026-11-05@tokens'] }, flags: ['api.retries=0'] },
      collectors: ['tokens'],
    });
    const asked = story.platform.requests.length;
    await story.reload(otherClients);
    await story.poll();
    const again = story.platform.requests.slice(asked).filter(({ path }) => path.endsWith('/tokens'));
    expect(again.map(({ query }) => query['startDate'])).toEqual(['2026-11-19']);
    expect(story.logged('Days set aside because they fail by themselves', 'days=2026-11-05')).toHaveLength(1);
  });

  test('the revision pass of today', async () => {
    const story = await startStory({ collectors: ['tokens'] });
    await story.poll();
    const asked = story.platform.requests.length;
    await story.reload(otherClients);
    await story.poll();
    expect(windowsOf(story, 'tokens', asked)).toEqual([1]);
  });
});

test('a run in progress restarts with the new client if its settings change, and no idle collector runs', async () => {
  const story = await startStory({ collectors: [...KINDS, 'tools'] });
  story.platform.setFaults(['slow=1:600000@tokens']);
  const asked = story.platform.requests.length;
  story.ticker.tick('20 * * * *');
  await waitFor(() => {
    const running = statesOf(story).filter(({ state }) => state === 'running');
    expect(running.map(({ name }) => name)).toEqual(['tokens', 'spend']);
    expect(story.platform.unanswered).toEqual(['tokens']);
  });
  const others = (of: Story) => of.platform.requests.filter(({ path }) => path.endsWith('/tools')).length;
  const before = others(story);
  story.platform.setFaults([]);
  expect(await story.reload(otherClients)).toEqual({ ok: true });
  await waitFor(() => expect(statesOf(story).every(({ state }) => state === 'ok')).toBe(true));
  expect(windowsOf(story, 'tokens', asked)).toEqual([1, 1]);
  expect(others(story)).toBe(before);
  expect(story.logged('Collector failing')).toEqual([]);
});

describe('a file that is followed and cannot be read', () => {
  const SUCCESSFUL = 'agent_platform_exporter_config_last_reload_successful';

  test('as a key, keeps its last good value, is reported, and does not delay any other organization', async () => {
    const contents = new Map<string, string | Error>([['/run/key', 'sandbox-acme-owner']]);
    const credential = await createFileCredential('/run/key', '/run/key', createFakeFiles(contents));
    const story = await startStory({ sandbox: { orgs: 2 }, collectors: KINDS });
    await story.reload((config) => ({
      ...config,
      orgs: config.orgs.map((org) => (org.name === 'acme' ? { ...org, credential } : org)),
    }));
    contents.set('/run/key', '');
    expect(await story.poll()).toEqual([]);
    story.clock.advance(61_000);
    await waitFor(async () => expect((await story.page()).value(SUCCESSFUL)).toBe(0));
    expect(story.logged('level=error', '/run/key is empty')).toHaveLength(1);
    expect(await (await story.get('/')).text()).toContain('/run/key is empty');
    contents.set('/run/key', 'sandbox-acme-owner\n');
    expect(await story.poll()).toEqual([]);
    story.clock.advance(61_000);
    await waitFor(async () => expect((await story.page()).value(SUCCESSFUL)).toBe(1));
  });

  test('as teams, stays as it was while a reload of everything else goes on', async () => {
    const files = new Map<string, string | Error>([['t.csv', '*@acme.example,first\n']]);
    const story = await startStory({
      ...{ files, flags: ['teams.file=t.csv'], collectors: ['users', 'wiki'], sandbox: { users: 120 } },
    });
    const teams = async () =>
      Object.keys((await story.page()).by('team', 'agent_platform_daily_credits_by_team'));
    files.set('t.csv', new Error('gone'));
    // It is a problem once two looks have found it.
    await waitFor(() => {
      story.clock.advance(LOOK_MS);
      expect(story.logged('level=error', 't.csv')).toHaveLength(1);
    });
    await story.reload(otherClients);
    expect(await teams()).toContain('first');
    expect(await story.poll()).toEqual([]);
  });
});
