import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFileSource } from '../../../src/commands/copy/files.ts';
import { HookStore } from '../../../src/intake/store.ts';
import type { Query } from '../../../src/store/database.ts';
import { rowsOf } from '../../../src/store/reader.ts';
import { COUNT_TABLES, DAY_TABLES } from '../../../src/store/tables.ts';
import { createSystemClock } from '../../../src/work/clock.ts';
import { PLANTED_AT, plant } from '../../commands/copy/planted.ts';
import { contentOf, createDirectory, openStore } from '../../store/files.ts';
import { waitFor } from '../../support/wait-for.ts';
import { KEY, startPlatform } from '../platform.ts';
import { createPrograms, type Program, written } from '../programs.ts';
import { usePostgres } from './server.ts';
import { openOpened } from './shared.ts';

/** In each direction. */
const KILLS = 8;

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

/** The rows of a file by table. */
async function rowsIn(file: string): Promise<unknown> {
  const source = openFileSource(file);
  try {
    return await source.use(async (queryOf) => {
      const found: [string, unknown[]][] = [];
      for (const table of [...DAY_TABLES, ...COUNT_TABLES]) {
        const rows: string[] = [];
        for await (const batch of rowsOf(queryOf(table), table))
          rows.push(...batch.map((row) => JSON.stringify(row)));
        found.push([table.name, rows.sort()]);
      }
      return found;
    });
  } finally {
    await source.close();
  }
}

async function openHooks(url: string) {
  const { database } = await openOpened(url);
  const { opened } = database;
  const epochOf = (query: Query) => database.epochOf(query);
  const hooks = new HookStore({ database, epochOf, shared: { opened }, clock: createSystemClock() });
  onTestFinished(() => hooks.close());
  await opened;
  return hooks;
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

  const original = openStore(file);
  const before = await contentOf(original, ['acme', 'globex']);
  await original.close();
  const history = await openOpened(url);
  expect(await contentOf(history, ['acme', 'globex'])).toEqual(before);
  const { events } = await (await openHooks(url)).load();
  expect(events.get('Stop')).toEqual({ count: 1, lastAt: PLANTED_AT - 1 });

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

test('a copy that is killed while it waits leaves nothing, and the next one is whole', async () => {
  const file = await plant();
  const url = await server.database();
  await openOpened(url);
  const release = await server.hold(url, 'LOCK TABLE agent_platform.document IN SHARE MODE');
  const killed = copying('database', file, url);
  await waitFor(async () => {
    const waiting = await server.query(url, 'SELECT pid FROM pg_locks WHERE NOT granted');
    expect(waiting).not.toEqual([]);
  });
  killed.send('SIGKILL');
  await killed.ended;
  await release();
  const rows = () => server.query(url, 'SELECT count(*)::int AS rows FROM agent_platform.day');
  expect(await rows()).toEqual([{ rows: 0 }]);
  const { code, stderr } = await copy('database', file, url);
  expect([code, stderr]).toEqual([0, expect.stringContaining('counts and checksums are equal')]);
  expect(await rows()).toEqual([{ rows: 3 }]);
});

test('a copy that is killed at any moment leaves everything or nothing, and the next one is whole', async () => {
  const file = await plant(1200);
  const content = await rowsIn(file);
  const source = await server.database();
  const clock = createSystemClock();
  const began = clock.elapsed();
  expect((await copy('database', file, source)).code).toBe(0);
  const lasts = clock.elapsed() - began;

  async function killAt(share: number, to: 'database' | 'file', path: string, url: string): Promise<void> {
    const killed = copying(to, path, url);
    await clock.wait(share * lasts);
    killed.send('SIGKILL');
    await killed.ended;
    // The server ends what is under way once it notices.
    await waitFor(async () => {
      const others = 'FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
      expect(await server.query(url, `SELECT pid ${others} AND state <> 'idle'`)).toEqual([]);
    });
  }

  const days = (url: string) => server.query(url, 'SELECT count(*)::int AS rows FROM agent_platform.day');
  const all = await days(source);
  for (let kill = 0; kill < KILLS; kill++) {
    const share = (kill + 1) / KILLS;
    const url = await server.database();
    await openOpened(url);
    await killAt(share, 'database', file, url);
    expect([[{ rows: 0 }], all]).toContainEqual(await days(url));
    expect(await copy('database', file, url)).toMatchObject({ code: 0 });
    expect(await days(url)).toEqual(all);

    const back = join(createDirectory(), 'back.db');
    await killAt(share, 'file', back, source);
    if (existsSync(back)) expect(await rowsIn(back)).toEqual(content);
    expect(await copy('file', back, source)).toMatchObject({ code: 0 });
    expect(await rowsIn(back)).toEqual(content);
  }
  expect(await rowsIn(file)).toEqual(content);
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
  expect(running.stderr).toContain('an exporter is using the database of AGENT_PLATFORM_STORAGE_URL');
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
});

test('what exporters read before a copy counts no longer after it', async () => {
  const url = await server.database();
  const process = await openOpened(url);
  const before = await process.standing('acme');
  await copy('database', await plant(), url);
  const after = await process.standing('acme');
  expect(after.epoch).not.toBe(before.epoch);
  expect(after.orgId).toBe('org_2');
});
