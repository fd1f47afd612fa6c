import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { KEY, startPlatform } from './platform.ts';
import { usePostgres } from './postgres/server.ts';
import { createPrograms, type Program } from './programs.ts';
import { requireTool } from './tools.ts';

const programs = createPrograms();
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const FLAGS = ['doctor', '--web.listen-address=127.0.0.1:0', '--api.requests-per-second=1000'];

function environmentOf(platform: string) {
  return {
    AGENT_PLATFORM_API_BASE_URL: platform,
    AGENT_PLATFORM_API_KEY: KEY,
    HOME: '/nonexistent',
  };
}

async function storeLine(program: Program): Promise<readonly [code: number | null, line: string]> {
  const { code } = await program.ended;
  return [
    code,
    /^. store .*(?:\n +→ .*)?/m.exec(program.stdout())?.[0] ?? program.stdout() + program.stderr(),
  ];
}

describe('with a PostgreSQL database', () => {
  const server = usePostgres();

  async function examine(database: string): Promise<readonly [code: number | null, line: string]> {
    const { url } = await startPlatform(programs);
    const environment = { ...environmentOf(url), AGENT_PLATFORM_STORAGE_URL: database };
    return storeLine(programs.exporter(FLAGS, environment));
  }

  test('an empty one is all right, and stays empty', async () => {
    const database = await server.database();
    const [code, line] = await examine(database);
    expect([code, line]).toEqual([
      0,
      expect.stringMatching(/^✓ store .* has no schema yet, and it can be created/),
    ]);
    const schemas = "SELECT 1 FROM pg_namespace WHERE nspname = 'agent_platform'";
    expect(await server.query(database, schemas)).toEqual([]);
  });

  test('a read-only one is named', async () => {
    const database = await server.database();
    await server.query(database, 'ALTER SYSTEM SET default_transaction_read_only = on');
    await server.query(database, 'SELECT pg_reload_conf()');
    const [code, line] = await examine(database);
    await server.query(database, 'ALTER SYSTEM RESET default_transaction_read_only');
    await server.query(database, 'SELECT pg_reload_conf()');
    expect(code).toBe(1);
    expect(line).toMatch(/^✗ store .* is read-only: default_transaction_read_only is on\n +→ /);
  });

  test('a wrong password is named, and not repeated', async () => {
    const database = new URL(await server.database());
    database.username = 'nobody';
    database.password = 'the-password';
    const [code, line] = await examine(database.href);
    expect(code).toBe(1);
    expect(line).toMatch(/^✗ store .*\n +→ correct the user and password/);
    expect(line).not.toContain('the-password');
  });

  test('a standby is named', async () => {
    const database = await server.database();
    const standby = await server.standby();
    const url = new URL(database);
    url.port = String(standby.port);
    const [code, line] = await examine(url.href);
    expect(code).toBe(1);
    expect(line).toMatch(/is read-only: it is a standby/);
  });
});

describe('a directory that must not be written', () => {
  const isRoot = process.getuid?.() === 0;
  // Root may write anything, so it has to change to another user first.
  const starter = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : ['env'];

  test.runIf(requireTool(starter[0] ?? ''))('is named', async () => {
    const { url } = await startPlatform(programs);
    const folder = programs.folder();
    chmodSync(folder, 0o555);
    const file = join(folder, 'history.db');
    const [program = '', ...rest] = [...starter, process.execPath, MAIN];
    const args = [...rest, ...FLAGS, `--storage.path=${file}`];
    const [code, line] = await storeLine(programs.start(program, args, { environment: environmentOf(url) }));
    expect(code).toBe(1);
    expect(line).toMatch(/^✗ store .*permission denied.*\n +→ make the file and its directory writable/);
    chmodSync(folder, 0o755);
  });
});
