import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../../bench/programs.ts';
import { HookStore } from '../../../src/intake/store.ts';
import type { Leader } from '../../../src/store/leader.ts';
import { PostgresDatabase } from '../../../src/store/postgres.ts';
import { createSystemClock } from '../../../src/work/clock.ts';
import { stop } from '../../intake/contract.ts';
import { describeStore } from '../../store/contract.ts';
import { createFakeLogger } from '../../support/fake-logger.ts';
import { waitFor } from '../../support/wait-for.ts';
import { issue } from '../../web-config/certificate.ts';
import { createPrograms } from '../programs.ts';
import { requireTool } from '../tools.ts';
import { startAskedPlatform, startReplica } from './replicas.ts';
import { usePostgres } from './server.ts';
import { openOpened, openProcess } from './shared.ts';

const server = usePostgres();
const programs = createPrograms();

/** The directory of files that the server's user may read. */
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'exporter-connections-'));
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file that belongs to the user that PostgreSQL runs as. */
function writeOwned(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  if (process.getuid?.() === 0) {
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' })),
    );
    chownSync(path, uid ?? 0, gid ?? 0);
  }
  return path;
}

test('of a process are four, one of them for leadership, for which a burst waits without failing unless the server goes away', async () => {
  const url = await server.database();
  const describe = () => 'the test';
  const database = new PostgresDatabase({
    url: { read: async () => ({ url }), describe },
    log: createFakeLogger(),
  });
  onTestFinished(() => database.close());
  let begun = 0;

  /** Takes all connections but the reserved one, and has many others wait; resolves with what lets the first ones go on. */
  async function burst() {
    begun = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const use = (wait?: Promise<void>) =>
      database.transaction(async (query) => {
        begun += 1;
        await wait;
        return query('SELECT 1 AS one');
      });
    const held = Array.from({ length: 3 }, () => use(promise));
    await waitFor(() => expect(begun).toBe(3));
    return { ended: Promise.allSettled([...held, ...Array.from({ length: 500 }, () => use())]), resolve };
  }

  // The limits of the driver are over at once, those of the server are not.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const calm = await burst();
  await vi.advanceTimersByTimeAsync(20_000);
  await database.transaction((query) => query('SELECT 1 AS one'), 'leader');
  const connections = await server.query(
    url,
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'agent-platform-exporter'`,
  );
  expect(connections).toHaveLength(4);
  calm.resolve();
  expect((await calm.ended).filter(({ status }) => status === 'rejected')).toEqual([]);
  vi.useRealTimers();

  const cut = await burst();
  server.stop('immediate');
  cut.resolve();
  const problems = (await cut.ended).map((end) => (end.status === 'rejected' ? end.reason : undefined));
  for (const problem of problems) expect(problem).toHaveProperty('details.reason', 'unreachable');
  expect(begun).toBe(3);
  server.start();
  await database.transaction((query) => query('SELECT 1 AS one'));
  expect(database.isUp()).toBe(true);
});

/** Begins to take part in leadership, until the end of the test. */
function joins({ leadership }: { readonly leadership: Leader }): Leader {
  onTestFinished(() => leadership.close());
  void leadership.start({
    settings: () => '',
    orgs: () => [],
    onOtherSettings: () => undefined,
    onLead: () => undefined,
    onResume: () => undefined,
    onBeat: () => undefined,
    onEnd: () => undefined,
    onRefresh: () => undefined,
  });
  return leadership;
}

describe('a connection', () => {
  const authority = issue({ name: 'ca', isAuthority: true });
  const own = issue({ name: 'localhost', issuer: authority, dns: ['localhost'] });

  beforeAll(async () => {
    const [certificate, key] = [writeOwned('server.crt', own.certificate), writeOwned('server.key', own.key)];
    writeFileSync(join(folder, 'ca.crt'), authority.certificate);
    writeFileSync(join(folder, 'other.crt'), issue({ name: 'other', isAuthority: true }).certificate);
    const url = await server.database();
    for (const [name, value] of [
      ['ssl_cert_file', certificate],
      ['ssl_key_file', key],
      ['ssl', 'on'],
    ])
      await server.query(url, `ALTER SYSTEM SET ${name} = '${value}'`);
    await server.query(url, 'SELECT pg_reload_conf()');
  });

  async function urlWith(host: string, parameters: Readonly<Record<string, string>>): Promise<string> {
    const url = new URL(await server.database());
    url.hostname = host;
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url.href;
  }

  test('with sslmode=verify-full is encrypted, to the schema that the URL names', async () => {
    const url = await urlWith('localhost', {
      ...{ sslmode: 'verify-full', sslrootcert: join(folder, 'ca.crt') },
      ...{ schema: 'usage_history', application_name: 'replica-a' },
    });
    const { database } = await openOpened(url);
    const rows = await database.transaction((query) =>
      query(
        `SELECT ssl, application_name FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE pid = pg_backend_pid()`,
      ),
    );
    expect(rows).toEqual([{ ssl: true, application_name: 'replica-a' }]);
    const tables = await server.query(url, `SELECT count(*)::int AS days FROM usage_history.day`);
    expect(tables).toEqual([{ days: 0 }]);
    // Leadership is in the same schema.
    const leadership = joins(database);
    await waitFor(() => expect(leadership.isLeader()).toBe(true));
  });

  test.each([
    ['another name than the certificate has', '127.0.0.1', 'ca.crt'],
    ['a certificate of another authority', 'localhost', 'other.crt'],
  ])('with sslmode=verify-full to %s is refused as a lasting problem', async (_what, host, ca) => {
    const url = await urlWith(host, { sslmode: 'verify-full', sslrootcert: join(folder, ca) });
    const { database } = openProcess(url);
    await waitFor(() => expect(database.trouble()?.reason).toBe('tls'));
  });

  test('follows a server to another authority once the file is replaced, without a restart', async () => {
    const file = join(folder, 'rotated.crt');
    writeFileSync(file, authority.certificate);
    const url = await urlWith('localhost', { sslmode: 'verify-full', sslrootcert: file });
    const platform = await startAskedPlatform({ orgs: 1, users: 3, repos: 1 });
    const replica = await startReplica(programs, platform, {
      ...{ start: '2026-11-01', rate: 200, environment: { AGENT_PLATFORM_STORAGE_URL: url } },
    });
    await waitFor(async () => expect(await replica.send([{ id: 'one', event: 'Stop' }])).toBe(202));

    const successor = issue({ name: 'successor', isAuthority: true });
    const { certificate, key } = issue({ name: 'localhost', issuer: successor, dns: ['localhost'] });
    writeOwned('server.crt', certificate);
    writeOwned('server.key', key);
    const plain = await server.database();
    await server.query(plain, 'SELECT pg_reload_conf()');
    await server.query(plain, 'SELECT pg_terminate_backend(pid) FROM pg_stat_ssl WHERE ssl');
    await waitFor(() => expect(replica.program.stderr()).toMatch(/msg="Database cannot be used.*reason=tls/));
    expect(await replica.send([{ id: 'two', event: 'Stop' }])).toBe(503);
    writeFileSync(`${file}.new`, successor.certificate);
    renameSync(`${file}.new`, file);
    await waitFor(async () => expect(await replica.send([{ id: 'two', event: 'Stop' }])).toBe(202));
  });
});

describe.runIf(requireTool('pgbouncer'))('behind a transaction-pooling proxy', () => {
  let port = 0;

  beforeAll(async () => {
    port = await freePort();
    const file = writeOwned(
      'pgbouncer.ini',
      `[databases]
* = host=127.0.0.1 port=${server.port} user=admin
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
; Fewer than the clients have, so that they really share them.
default_pool_size = 2
server_tls_sslmode = disable
`,
    );
    // It refuses to run as root.
    const [command, ...args] =
      process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', 'pgbouncer', file] : ['pgbouncer', file];
    const proxy = programs.start(command ?? '', args);
    await waitFor(() => expect(proxy.stderr() + proxy.stdout()).toContain('process up'));
  });

  async function proxied(): Promise<string> {
    const url = new URL(await server.database());
    url.port = String(port);
    return url.href;
  }

  describeStore('a PostgreSQL database', async () => openOpened(await proxied()));

  test('one of several processes leads and stores, the row is given on, and all count events', async () => {
    const url = await proxied();
    const processes = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const { database } = await openOpened(url);
        const leadership = joins(database);
        const { opened } = database;
        const hooks = new HookStore({
          ...{
            database,
            epochOf: (query) => database.epochOf(query),
            shared: { opened },
            clock: createSystemClock(),
          },
        });
        await opened;
        await hooks.load();
        return { leadership, hooks };
      }),
    );
    const leaders = () => processes.filter(({ leadership }) => leadership.isLeader());
    await waitFor(() => expect(leaders()).toHaveLength(1));
    const [first] = leaders();
    const stored = (leadership: Leader | undefined) => leadership?.write((query) => query('SELECT 1 AS one'));
    expect(await stored(first?.leadership)).toEqual([{ one: 1 }]);
    await first?.leadership.close();
    await waitFor(() => expect(leaders()).toHaveLength(1));
    await expect(stored(first?.leadership)).rejects.toThrow('another replica polls');
    expect(await stored(leaders()[0]?.leadership)).toEqual([{ one: 1 }]);
    await Promise.all(
      processes.flatMap(({ hooks }, from) =>
        Array.from({ length: 20 }, (_, index) =>
          hooks.commit(() => ({
            events: [stop(`event-${index}`), stop(`own-${from}-${index}`)],
            now: Date.now(),
          })),
        ),
      ),
    );
    for (const { hooks } of processes) expect((await hooks.load()).events.get('Stop')?.count).toBe(80);
    for (const { hooks, leadership } of processes) {
      await hooks.close();
      await leadership.close();
    }
  });
});
