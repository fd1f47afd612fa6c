import { expect, onTestFinished, test } from 'vitest';
import { HookStore } from '../../../src/intake/store.ts';
import type { Query } from '../../../src/store/database.ts';
import type { SharedDatabase } from '../../../src/store/shared.ts';
import { describeIntake, stop } from '../../intake/contract.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { replacing } from '../../support/replacing.ts';
import { usePostgres } from './server.ts';
import { openOpened } from './shared.ts';

const server = usePostgres();
const STORED = 5_000;
/** To lock, read, count, forget and read the counts. */
const MAX_STATEMENTS = 11;
/** The state, the counts of one event name, and the sessions that another process has added meanwhile. */
const MAX_ROWS = 40;
const NOW = Date.UTC(2026, 10, 20, 12);

/** The rows that the connection has read in tables of hook events so far. */
async function rowsRead(query: Query): Promise<number> {
  const [row] = await query(
    `SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 AS rows
     FROM pg_stat_xact_user_tables WHERE relname LIKE 'hook%'`,
  );
  return Number(row?.['rows']);
}

/** Counts the statements and the rows read by each write, except for those that begin and end it. */
function measured(database: SharedDatabase) {
  const costs: { statements: number; rows: number }[] = [];
  const transaction: SharedDatabase['transaction'] = (work, mode) =>
    database.transaction(async (query) => {
      const cost = { statements: 0, rows: -(await rowsRead(query)) };
      const result = await work((text, values) => {
        cost.statements += 1;
        return query(text, values);
      });
      cost.rows += await rowsRead(query);
      if (mode === 'write') costs.push(cost);
      return result;
    }, mode);
  return { database: replacing(database, { transaction }), costs };
}

async function openStores(maxIds = 1_000_000) {
  const url = await server.database();
  const { database } = await openOpened(url);
  // As after a burst: the server does not know yet how large the tables are.
  for (const table of ['hook_seen', 'hook_session', 'hook_event', 'hook_state'])
    await server.query(url, `ALTER TABLE agent_platform.${table} SET (autovacuum_enabled = false)`);
  const counted = measured(database);
  let sent = 0;

  async function open() {
    const store = new HookStore({
      ...{ database: counted.database, epochOf: (query) => database.epochOf(query), maxIds },
      shared: { opened: Promise.resolve(), time: () => `${NOW}` },
      clock: createFakeClock(NOW),
    });
    onTestFinished(() => store.close());
    await Promise.resolve();
    await store.load();
    /** Commits events, each of a session of its own. */
    return async (count: number) => {
      const first = sent;
      sent += count;
      const ids = Array.from({ length: count }, (_, index) => `event-${first + index}`);
      await store.commit(() => ({ events: ids.map((id) => stop(id, { session: id })), now: NOW + sent }));
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

describeIntake('a PostgreSQL database', async (clock) => {
  const { database } = await openOpened(await server.database());
  const shared = { opened: Promise.resolve(), time: () => `${clock.now()}` };
  const store = new HookStore({ database, epochOf: (query) => database.epochOf(query), shared, clock });
  await Promise.resolve();
  return store;
});

test('the commit of an event costs a few statements and rows, however many events and sessions are stored', async () => {
  const stores = await openStores();
  const commits = [await stores.open(), await stores.open()];
  for (const commit of commits) await commit(2);
  const costs = await costsInTurn(stores, commits);
  for (let stored = 0; stored < STORED; stored += 1_000) await commits[0]?.(1_000);
  await commits[1]?.(1);
  costs.push(...(await costsInTurn(stores, commits)));
  await server.query(stores.url, 'ANALYZE');
  costs.push(...(await costsInTurn(stores, commits)));
  for (const { statements } of costs) expect(statements).toBeLessThanOrEqual(MAX_STATEMENTS);
  // One commit of sixteen counts the sessions.
  expect(costs.filter(({ rows }) => rows >= MAX_ROWS).length).toBeLessThanOrEqual(1);
});

test('of too many ids, the oldest are forgotten, a bounded number with each commit', async () => {
  const stores = await openStores(100);
  const commit = await stores.open();
  const ids = async () =>
    (await server.query(stores.url, 'SELECT id FROM agent_platform.hook_seen ORDER BY at, id')).map(
      ({ id }) => id,
    );
  await commit(1_000);
  expect(await ids()).toHaveLength(0);
  for (let sent = 0; sent < 150; sent += 1) await commit(1);
  expect(await ids()).toEqual(Array.from({ length: 100 }, (_, index) => `event-${1_050 + index}`));
  const [state] = await server.query(stores.url, 'SELECT ids::int FROM agent_platform.hook_state');
  expect(state).toEqual({ ids: 100 });
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
