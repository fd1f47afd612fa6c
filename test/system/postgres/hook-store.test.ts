import { expect, onTestFinished, test } from 'vitest';
import { createDatabase, type Database, type Query } from '../../../src/history/postgres/database.ts';
import { migrate } from '../../../src/history/postgres/schema.ts';
import { absorb } from '../../../src/hooks/intake/counts.ts';
import { createPostgresHookStore } from '../../../src/hooks/intake/postgres/store.ts';
import { describeIntake, stop } from '../../hooks/intake/contract.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createFakeLogger } from '../../support/fake-logger.ts';
import { usePostgres } from './server.ts';

const server = usePostgres();
const STORED = 5_000;
/** The state, the counts of one event name, and the sessions that another process has added meanwhile. */
const MAX_ROWS = 20;
const NOW = Date.UTC(2026, 10, 20, 12);

/** The rows that the connection has read in tables of hook events so far. */
async function rowsRead(query: Query): Promise<number> {
  const [row] = await query(
    `SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 AS rows
     FROM pg_stat_xact_user_tables WHERE relname LIKE 'hook%'`,
  );
  return Number(row?.['rows']);
}

/** Counts the statements and the rows read by each transaction, except for those that begin and end it. */
function measured(database: Database) {
  const costs: { statements: number; rows: number }[] = [];
  const counting: Database = {
    ...database,
    get schema() {
      return database.schema;
    },
    transaction: (work, mode) =>
      database.transaction(async (query) => {
        const cost = { statements: 0, rows: -(await rowsRead(query)) };
        const result = await work((text, values) => {
          cost.statements += 1;
          return query(text, values);
        });
        cost.rows += await rowsRead(query);
        costs.push(cost);
        return result;
      }, mode),
  };
  return { database: counting, costs };
}

async function openStores(maxIds?: number) {
  const url = await server.database();
  const log = createFakeLogger();
  const database = createDatabase({ url: { read: async () => url, describe: () => 'the test' }, log });
  onTestFinished(() => database.close());
  await migrate(database);
  // As after a burst: the server does not know yet how large the tables are.
  for (const table of ['hook_seen', 'hook_session', 'hook_event', 'hook_state'])
    await server.query(url, `ALTER TABLE agent_platform.${table} SET (autovacuum_enabled = false)`);
  const counted = measured(database);
  let sent = 0;

  async function open() {
    const parts = { database: counted.database, opened: Promise.resolve(), clock: createFakeClock(NOW) };
    const store = createPostgresHookStore(maxIds === undefined ? parts : { ...parts, maxIds });
    onTestFinished(() => store.close());
    await Promise.resolve();
    let known = await store.load();
    /** Commits events, each of a session of its own. */
    return async (count: number) => {
      const first = sent;
      sent += count;
      const ids = Array.from({ length: count }, (_, index) => `event-${first + index}`);
      await store.commit({
        take: () => ({ ids, now: NOW + sent }),
        decide(_isNew, stored = known) {
          known = stored;
          const events = ids.map((id) => stop(id, { session: id }));
          return absorb(stored, events, NOW + sent);
        },
      });
    };
  }
  return { url, costs: counted.costs, open };
}

/** The costs of two processes that commit an event in turn. */
async function costsInTurn(
  { costs }: { readonly costs: readonly { statements: number; rows: number }[] },
  commits: readonly ((count: number) => Promise<void>)[],
) {
  const from = costs.length;
  for (const commit of [...commits, ...commits]) await commit(1);
  return costs.slice(from);
}

describeIntake('a PostgreSQL database', async () => {
  const url = await server.database();
  const source = { read: async () => url, describe: () => 'the test' };
  const database = createDatabase({ url: source, log: createFakeLogger() });
  onTestFinished(() => database.close());
  await migrate(database);
  const clock = createFakeClock(NOW);
  return createPostgresHookStore({ database, opened: Promise.resolve(), clock });
});

test('the commit of an event costs three statements and a few rows, however many events and sessions are stored', async () => {
  const stores = await openStores();
  const commits = [await stores.open(), await stores.open()];
  for (const commit of commits) await commit(2);
  const costs = await costsInTurn(stores, commits);
  for (let stored = 0; stored < STORED; stored += 1_000) await commits[0]?.(1_000);
  await commits[1]?.(1);
  costs.push(...(await costsInTurn(stores, commits)));
  await server.query(stores.url, 'ANALYZE');
  costs.push(...(await costsInTurn(stores, commits)));
  expect(costs.map(({ statements }) => statements)).toEqual(costs.map(() => 3));
  for (const { rows } of costs) expect(rows).toBeLessThan(MAX_ROWS);
});

test('of too many ids, the oldest are forgotten as slowly as others are added, and only they are read, until the server knows how many are left', async () => {
  const stores = await openStores(100);
  const commit = await stores.open();
  for (let stored = 0; stored < STORED; stored += 1_000) await commit(1_000);
  await server.query(stores.url, 'ANALYZE');
  const count = async () =>
    (await server.query(stores.url, 'SELECT count(*)::int AS ids FROM agent_platform.hook_seen'))[0]?.['ids'];
  expect(await count()).toBe(STORED);
  for (const added of [1, 100, 1_000]) {
    const before = Number(await count());
    await commit(added);
    expect(await count()).toBe(before - added);
    expect(stores.costs.at(-1)?.rows).toBeLessThan(2 * added + MAX_ROWS);
  }
});

test('no count is lost if commits were, and another process has reached the same version since', async () => {
  const stores = await openStores();
  const [one, two] = [await stores.open(), await stores.open()];
  await one(1);
  await two(1);
  // Both know version 2; afterwards the first reaches it again.
  await server.query(stores.url, 'UPDATE agent_platform.hook_state SET version = 1');
  await one(5);
  await two(1);
  const counts = await server.query(stores.url, 'SELECT count::int FROM agent_platform.hook_event');
  expect(counts).toEqual([{ count: 8 }]);
});
