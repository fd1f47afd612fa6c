import { describe, expect, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { createFileCredential } from '../../src/config/credential.ts';
import { LOOK_MS } from '../../src/config/followed.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { waitFor } from '../support/wait-for.ts';
import { firstRuns, NOON, type Story, startStory } from './harness.ts';

const MINUTE = 60_000;
const collectors = ['tokens', 'tools', 'wiki'];

/** Starts an exporter whose platform has these faults, and knows when its schedules tick. */
function failing(faults: readonly string[], keys: Readonly<Record<string, string>> = {}): Promise<Story> {
  return startStory({ sandbox: { faults }, keys, scheduled: true, collectors, flags: ['api.retries=0'] });
}

/** The minutes past noon of the next run of each collector. */
function nextRuns({ service }: Story): readonly number[] {
  return service
    .status()
    .orgs.flatMap((org) =>
      org.collectors.map(({ nextRunAt = 0 }) => Math.floor((nextRunAt - NOON) / MINUTE)),
    );
}

/** Resolves once no collector fails, without a tick. */
async function untilRecovered(story: Story): Promise<void> {
  await waitFor(async () => {
    const success = (await story.page()).by('collector', 'agent_platform_exporter_collector_success');
    expect(success).toEqual(Object.fromEntries(collectors.map((name) => [name, 1])));
  });
}

describe('what failed at the start', () => {
  test.each(['500', '503', 'cut-off', '429=1:60'])(
    'because of %s succeeds within minutes, without a tick',
    async (fault) => {
      const story = await failing([fault]);
      expect(nextRuns(story)).toEqual([1, 1, 1]);
      story.clock.advance(MINUTE);
      await waitFor(() => expect(nextRuns(story)).toEqual([3, 3, 3]));
      story.platform.setFaults([]);
      story.clock.advance(2 * MINUTE);
      await untilRecovered(story);
      // The schedules: no retry is left.
      expect(nextRuns(story)).toEqual([20, 20, 50]);
    },
  );

  test('is not repeated before the platform allows it', async () => {
    const story = await failing(['503=1:600']);
    expect(nextRuns(story)).toEqual([10, 10, 10]);
    const long = await failing(['429=1:1800']);
    expect(nextRuns(long)).toEqual([20, 20, 30]);
  });

  test.each(['401', '403', '404', 'malformed'])('because of %s waits for the tick', async (fault) => {
    expect(nextRuns(await failing([fault]))).toEqual([20, 20, 50]);
  });

  test('because of its key succeeds once the file of the key is replaced', async () => {
    const contents = new Map<string, string | Error>([['/run/key', 'sandbox-acme-revoked']]);
    const credential = await createFileCredential('/run/key', 'the key', createFakeFiles(contents));
    const story = await failing([], { acme: 'sandbox-acme-mistyped' });
    const asked = story.platform.requests.length;
    await story.reload((config) => ({ ...config, orgs: config.orgs.map((org) => ({ ...org, credential })) }));
    // Another key: once more.
    await waitFor(() => expect(story.platform.requests.length).toBe(2 * asked));
    await firstRuns(story.service);
    story.clock.advance(LOOK_MS);
    contents.set('/run/key', 'sandbox-acme-owner');
    story.clock.advance(LOOK_MS);
    await untilRecovered(story);
  });
});

test('a reload repeats what fails of an organization that it changes, and nothing else', async () => {
  const story = await startStory({
    ...{ sandbox: { orgs: 2, faults: ['404@wiki'] }, scheduled: true, collectors, flags: ['api.retries=0'] },
  });
  const second = story.platform.orgs[1]?.name;
  const asked = story.platform.requests.length;
  expect(await story.reload((config) => config)).toEqual({ ok: true });
  const seats = (config: Config) => ({
    ...config,
    orgs: config.orgs.map((org) =>
      org.name === second ? { ...org, contract: { seats: 7, prices: [] } } : org,
    ),
  });
  expect(await story.reload(seats)).toEqual({ ok: true });
  await waitFor(() => expect(story.platform.requests.length).toBeGreaterThan(asked));
  await firstRuns(story.service);
  const later = story.platform.requests.slice(asked);
  expect(later.map(({ org, path }) => `${org} ${path}`)).toEqual([
    expect.stringMatching(`^${second} .*wiki`),
  ]);
});
