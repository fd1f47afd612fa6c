import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabaseSource, openDatabaseTarget } from '../../../src/copy/postgres.ts';
import { openFileSource } from '../../../src/copy/sqlite.ts';
import { TABLES } from '../../../src/copy/tables.ts';
import { createDatabase } from '../../../src/history/postgres/database.ts';
import { createPostgresHistory } from '../../../src/history/postgres/history.ts';
import { createPostgresHookStore } from '../../../src/hooks/intake/postgres/store.ts';
import { createSystemClock } from '../../../src/runtime/clock.ts';
import { PLANTED_AT, plant } from '../../copy/planted.ts';
import { contentOf, createDirectory, openHistory } from '../../history/files.ts';
import { createFakeLogger } from '../../support/fake-logger.ts';
import { waitFor } from '../../support/wait-for.ts';
import { KEY, startPlatform } from '../platform.ts';
import { createPrograms, type Program, written } from '../programs.ts';
import { usePostgres } from './server.ts';

const server = usePostgres();
const programs = createPrograms();

/** Runs `history copy`. */
function copying(to: 'database' | 'file', file: string, url: string): Program {
  return programs.exporter(['history', 'copy', `--to=${to}`, `--storage.path=${file}`], {
    AGENT_PLATFORM_STORAGE_URL: url,
  });
}

/** Runs `history copy` to its end. */
async function copy(to: 'database' | 'file', file: string, url: string) {
  const program = copying(to, file, url);
  const { code } = await program.ended;
  return { code, stderr: program.stderr() };
}

/** The rows of a file by table, without NUL, which a database cannot store. */
async function rowsIn(file: string): Promise<unknown> {
  const source = await openFileSource(file);
  try {
    const found: Record<string, unknown[]> = {};
    for (const table of TABLES) {
      const rows: unknown[] = [];
      for await (const batch of source.rows(table)) rows.push(...batch);
      found[table] = rows;
    }
    return Object.entries(found).map(([table, rows]) => [
      table,
      rows.map((row) => JSON.stringify(row).replaceAll(/(?<!\\)\\u0000/g, '\uFFFD')).sort(),
    ]);
  } finally {
    await source.close();
  }
}

async function openDatabase(url: string) {
  const log = createFakeLogger();
  const clock = createSystemClock();
  const database = createDatabase({ url: { read: async () => url, describe: () => 'the test' }, log });
  const history = createPostgresHistory({ database, schemaVersionOf: () => 1, clock, log });
  const hooks = createPostgresHookStore({ database, opened: history.opened, clock });
  onTestFinished(async () => {
    await hooks.close();
    await history.close();
  });
  return { database, history, hooks };
}

test('from file to database and back, everything is equal', async () => {
  const file = await plant(1200);
  const url = await server.database();
  const there = await copy('database', file, url);
  expect(there.stderr).toContain('counts and checksums are equal');
  expect(there.code).toBe(0);
  const again = await copy('database', file, url);
  expect(again.stderr).toContain('Already copied: the database of AGENT_PLATFORM_STORAGE_URL has the same');
  expect(again.code).toBe(0);
  expect(await server.query(url, 'SELECT FROM agent_platform.copy')).toEqual([]);

  const original = await openHistory(file);
  const before = await contentOf(original, ['acme', 'globex']);
  await original.close();
  const { history, hooks } = await openDatabase(url);
  await history.opened;
  expect(await contentOf(history, ['acme', 'globex'])).toEqual(before);
  expect((await hooks.load()).events.get('Stop')).toEqual({ count: 3, lastAt: PLANTED_AT - 1 });

  const back = join(createDirectory(), 'back.db');
  const returned = await copy('file', back, url);
  expect(returned.stderr).toContain('counts and checksums are equal');
  expect(await rowsIn(back)).toEqual(await rowsIn(file));
  expect(await copy('file', back, url)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Already'),
  });
  // What was set aside of a former organization came along too.
  await history.adopt('acme', 'org_1');
  expect((await history.read('acme')).days('tokens').size).toBe(1);
});

test('a copy that is killed is not used by anybody, and is continued', async () => {
  const file = await plant();
  const url = await server.database();
  await (await openDatabase(url)).history.opened;
  // The copy waits for this transaction when it has written the days and comes to the documents.
  const blocker = new pg.Client({ connectionString: url });
  await blocker.connect();
  onTestFinished(() => blocker.end());
  await blocker.query('BEGIN');
  await blocker.query(
    `INSERT INTO agent_platform.document VALUES ('globex', '', 'readiness', $1, 'report-0', 1, '{}', 0, 1)`,
    [createHash('sha256').update('report-0').digest('hex')],
  );
  const killed = copying('database', file, url);
  await waitFor(async () => {
    const [row] = await server.query(url, 'SELECT positions FROM agent_platform.copy');
    expect(row?.['positions']).toHaveProperty('day');
  });
  killed.send('SIGKILL');
  await killed.ended;
  await blocker.query('ROLLBACK');

  const early = await openDatabase(url);
  await waitFor(() => expect(early.database.trouble()?.reason).toBe('copying'));
  expect(early.history.storeId()).toBeUndefined();
  const reading = openDatabaseSource({ read: async () => url, describe: () => 'it' }, createFakeLogger());
  await expect(reading).rejects.toThrow('target of an unfinished copy');

  const continued = await copy('database', file, url);
  expect(continued.stderr).toMatch(/[1-9]\d* rows were there from an interrupted copy/);
  await early.history.opened;
  expect((await early.history.read('globex')).documents('readiness')).toHaveLength(3);
});

test('a database with other data, and one that exporters use, are refused', async () => {
  const file = await plant();
  const url = await server.database();
  const platform = await startPlatform(programs);
  const exporter = programs.exporter(['serve', '--web.listen-address=127.0.0.1:0'], {
    AGENT_PLATFORM_API_BASE_URL: platform.url,
    AGENT_PLATFORM_API_KEY: KEY,
    AGENT_PLATFORM_API_REQUESTS_PER_SECOND: '200',
    AGENT_PLATFORM_HISTORY_START: '2026-11-01',
    AGENT_PLATFORM_STORAGE_URL: url,
  });
  await written(exporter, 'stderr', /msg=Serving .*\bport=(\d+)/);
  await waitFor(async () => {
    const [row] = await server.query(url, 'SELECT count(*)::int AS rows FROM agent_platform.day');
    expect(row?.['rows']).toBeGreaterThan(0);
  });
  const running = await copy('database', file, url);
  expect(running.code).toBe(2);
  expect(running.stderr).toContain(
    'an exporter or another copy is using the database of AGENT_PLATFORM_STORAGE_URL',
  );
  const out = join(createDirectory(), 'out.db');
  expect((await copy('file', out, url)).stderr).toContain('is using the database');
  expect(existsSync(out)).toBe(false);
  exporter.send('SIGTERM');
  await exporter.ended;
  const [before] = await server.query(url, 'SELECT count(*)::int AS rows FROM agent_platform.day');
  const other = await copy('database', file, url);
  expect(other.code).toBe(2);
  expect(other.stderr).toContain('has other data');
  expect(await server.query(url, 'SELECT count(*)::int AS rows FROM agent_platform.day')).toEqual([before]);
  expect(await server.query(url, 'SELECT FROM agent_platform.copy')).toEqual([]);
});

test('what an exporter sends that was suspended before the copy is refused, and so is a second copy', async () => {
  const url = await server.database();
  const { history, hooks } = await openDatabase(url);
  await history.opened;
  await hooks.load();
  const source = { read: async () => url, describe: () => 'it' };
  const target = await openDatabaseTarget(source, createFakeLogger());
  await target.begin('content');
  const commit = () =>
    hooks.commit({
      take: () => ({ ids: ['late'], now: PLANTED_AT }),
      decide: () => ({ events: new Map(), ends: new Map(), sessions: new Map() }),
    });
  await expect(commit()).rejects.toThrow('being copied');
  await expect(openDatabaseTarget(source, createFakeLogger())).rejects.toThrow('is using the database');
  await target.close();
  // What is read by a copy takes no events either, but only as long as it lasts.
  await server.query(url, 'DELETE FROM agent_platform.copy');
  const reading = await openDatabaseSource(source, createFakeLogger());
  await expect(commit()).rejects.toThrow('being copied');
  await reading.close();
  await commit();
});
