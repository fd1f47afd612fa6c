import { expect, test } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { createPrograms } from '../programs.ts';
import { type Replica, refresh, startAskedPlatform, startReplica } from './replicas.ts';
import { usePostgres } from './server.ts';

const PREFIX = 'agent_platform_exporter_';
const CREDITS = 'agent_platform_daily_credits';
const DAY = 86_400_000;

const server = usePostgres();
const programs = createPrograms();

/** Two replicas of one database, of which one has polled everything. */
async function startTwo(prepare: (url: string) => Promise<unknown> = async () => undefined) {
  const platform = await startAskedPlatform({ orgs: 1, users: 3, repos: 1 });
  const url = await server.database();
  await prepare(url);
  const environment = { AGENT_PLATFORM_STORAGE_URL: url, AGENT_PLATFORM_WEB_ENABLE_LIFECYCLE: 'true' };
  const start = () => startReplica(programs, platform, { start: '2026-11-01', rate: 200, environment });
  const replicas = await Promise.all([start(), start()]);
  for (const replica of replicas) await waitFor(async () => expect(await replica.isReady()).toBe(true));
  await polled(replicas);
  return { platform, url, replicas };
}

async function leaderOf(replicas: readonly Replica[]): Promise<Replica> {
  return waitFor(async () => {
    for (const replica of replicas) if (await replica.leads()) return replica;
    throw new Error('nobody leads');
  });
}

/** Waits until a replica has run everything and all show it. */
async function polled(replicas: readonly Replica[]): Promise<void> {
  await waitFor(async () => {
    const leader = await leaderOf(replicas);
    expect((await leader.page()).find(`${PREFIX}collector_success`)).toHaveLength(6);
  });
  for (const replica of replicas)
    await waitFor(async () => expect((await replica.page()).value(CREDITS)).toBeDefined());
}

const stops = async (replica: Replica) =>
  (await replica.page()).value('agent_platform_hook_events_total', { event: 'Stop' });

test('a schema that a newer release has made unusable is written to no more, and said', async () => {
  const { platform, url, replicas } = await startTwo();
  await server.query(url, 'UPDATE agent_platform.schema_version SET version = 90, usable_from = 90');
  for (const replica of replicas) {
    await waitFor(() =>
      expect(replica.program.stderr()).toMatch(/level=error msg="Database cannot be used.*reason=newer/),
    );
    await waitFor(async () => expect(await replica.leads()).toBe(false));
  }
  const stored = () =>
    server.query(
      url,
      `SELECT beat::int, (SELECT sum(revision) FROM agent_platform.dataset)::text AS revisions FROM agent_platform.leader`,
    );
  const before = await stored();
  const asked = platform.asked.length;
  for (const replica of replicas) {
    expect(await replica.send([{ id: 'one', event: 'Stop' }])).toBe(503);
    expect((await fetch(`${replica.url}/-/refresh`, { method: 'POST' })).status).toBe(202);
    expect((await replica.page()).value(CREDITS)).toBeDefined();
    expect((await replica.page()).value(`${PREFIX}store_up`)).toBe(0);
    expect(replica.program.stderr().match(/level=error/g)).toHaveLength(1);
  }
  expect(await stored()).toEqual(before);
  expect(platform.asked.length).toBe(asked);

  // The upgrade was undone.
  await server.query(url, 'UPDATE agent_platform.schema_version SET version = 8, usable_from = 8');
  await polled(replicas);
  for (const replica of replicas)
    await waitFor(async () => expect(await replica.send([{ id: 'one', event: 'Stop' }])).toBe(202));
});

test.each([
  { what: 'dropped', how: 'DROP SCHEMA agent_platform CASCADE' },
  {
    what: 'emptied',
    how: `DO $$ DECLARE t text; BEGIN FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'agent_platform'
          LOOP EXECUTE 'TRUNCATE agent_platform.' || quote_ident(t); END LOOP; END $$`,
  },
])('a schema that is $what is filled anew without a restart', async ({ how }) => {
  const { url, replicas } = await startTwo();
  const [one, two] = replicas;
  expect(await one?.send([{ id: 'one', event: 'Stop' }])).toBe(202);
  for (const replica of replicas) await waitFor(async () => expect(await stops(replica)).toBe(1));
  // The database ends this or a replica's statement if both wait for tables of the other.
  await waitFor(() => server.query(url, how));
  await waitFor(async () => {
    const [row] = await server.query(url, 'SELECT count(*)::int AS rows FROM agent_platform.day');
    expect(row?.['rows']).toBeGreaterThan(0);
  });
  await polled(replicas);
  // Counted from the beginning there, and on from before here.
  await waitFor(async () => expect(await two?.send([{ id: 'two', event: 'Stop' }])).toBe(202));
  for (const replica of replicas) await waitFor(async () => expect(await stops(replica)).toBe(2));
  for (const { program } of replicas)
    expect(program.stderr().match(/level=error/g)?.length ?? 0).toBeLessThanOrEqual(1);
});

test('hook events are taken after their state was emptied', async () => {
  const { url, replicas } = await startTwo();
  const [one, two] = replicas;
  expect(await one?.send([{ id: 'one', event: 'Stop' }])).toBe(202);
  for (const replica of replicas) await waitFor(async () => expect(await stops(replica)).toBe(1));
  await server.query(url, 'TRUNCATE agent_platform.hook_state');
  await waitFor(async () => expect(await one?.send([{ id: 'two', event: 'Stop' }])).toBe(202));
  await waitFor(async () => expect(await two?.send([{ id: 'three', event: 'Stop' }])).toBe(202));
  for (const replica of replicas) await waitFor(async () => expect(await stops(replica)).toBe(3));
});

test('an older layout, of before the first release, is refused and untouched', async () => {
  const url = await server.database();
  await server.query(
    url,
    `CREATE SCHEMA agent_platform; CREATE TABLE agent_platform.schema_version (
      single boolean PRIMARY KEY CHECK (single), version integer NOT NULL, usable_from integer NOT NULL, store_id uuid NOT NULL);
     INSERT INTO agent_platform.schema_version VALUES (true, 6, 2, gen_random_uuid())`,
  );
  const platform = await startAskedPlatform({ orgs: 1, users: 3, repos: 1 });
  const environment = { AGENT_PLATFORM_STORAGE_URL: url };
  const replica = await startReplica(programs, platform, { start: '2026-11-01', rate: 200, environment });
  await waitFor(() =>
    expect(replica.program.stderr()).toMatch(
      /level=error msg="Database cannot be used.*reason=older.*remove the schema/,
    ),
  );
  expect(await replica.isReady()).toBe(false);
  const tables = await server.query(
    url,
    `SELECT tablename FROM pg_tables WHERE schemaname = 'agent_platform'`,
  );
  expect(tables).toEqual([{ tablename: 'schema_version' }]);
});

test('steps of the database’s clock by a year stop nothing and repeat nothing', async () => {
  const { platform, url, replicas } = await startTwo(server.shadowClock);
  const [shown] = await server.query(url, 'SELECT now() = pg_catalog.now() AS same');
  expect(shown).toEqual({ same: false });
  const leader = await leaderOf(replicas);
  for (const [index, days] of [365, -365, 0].entries()) {
    await server.setClock(url, days * DAY);
    const asked = platform.asked.length;
    const beat = async () =>
      Number((await server.query(url, 'SELECT beat::int FROM agent_platform.leader'))[0]?.['beat']);
    const before = await beat();
    // Longer than a leader may be without a beat.
    await waitFor(async () => expect(await beat()).toBeGreaterThan(before + 5));
    expect(await leader.leads()).toBe(true);
    expect(platform.asked.length).toBe(asked);
    await refresh(leader, leader);
    expect(platform.asked.length).toBeGreaterThan(asked + 5);
    for (const replica of replicas) {
      expect(await replica.send([{ id: `event-${days}`, event: 'Stop' }])).toBe(202);
      await waitFor(async () => expect(await stops(replica)).toBe(index + 1));
    }
    await polled(replicas);
  }
  const [row] = await server.query(url, 'SELECT generation::int FROM agent_platform.leader');
  expect(row).toEqual({ generation: 1 });
});
