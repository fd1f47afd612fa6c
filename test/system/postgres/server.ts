import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { runPostgres } from '../../../bench/postgres.ts';
import { freePort } from '../../../bench/programs.ts';

/** A PostgreSQL server of a test file, on loopback, in a temporary directory. */
interface PostgresServer {
  readonly port: number;
  /** A new database; resolves with its URL. */
  database(options?: { readonly owner?: string; readonly encoding?: string }): Promise<string>;
  /** Runs a statement as the administrator and resolves with its rows. */
  query(url: string, text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  start(): void;
  stop(mode?: 'fast' | 'immediate'): void;
  /** Runs statements in a transaction; resolves with what ends it, and releases its locks. */
  hold(url: string, text: string): Promise<() => Promise<void>>;
  /** Starts a standby that follows the server; resolves once it does. */
  standby(): Promise<Standby>;
  /** Gives a database a clock of its own, which connections from now on read. */
  shadowClock(url: string): Promise<void>;
  /** Sets such a clock, by how many milliseconds it is ahead. */
  setClock(url: string, aheadMs: number): Promise<void>;
  /** The URL of a database for another user. */
  urlFor(url: string, user: string, password: string): string;
}

/** A second server with the same data. */
interface Standby {
  readonly port: number;
  /** Makes it a primary server. */
  promote(): void;
}

/** Functions that are found in place of those of the server, and are ahead by what a table says. */
const SHADOWS = `
  CREATE SCHEMA shadow;
  CREATE TABLE shadow.clock (ahead interval NOT NULL);
  INSERT INTO shadow.clock VALUES ('0');
  ${['now', 'clock_timestamp', 'statement_timestamp', 'transaction_timestamp']
    .map(
      (name) => `CREATE FUNCTION shadow.${name}() RETURNS timestamptz LANGUAGE sql AS
        'SELECT pg_catalog.clock_timestamp() + ahead FROM shadow.clock';`,
    )
    .join('\n')}`;

/** Declares the server of a test file: it is started before the tests and removed after them. */
export function usePostgres(): PostgresServer {
  let folder = '';
  let port = 0;
  let databases = 0;
  const running = ['data'];

  const run = (program: string, args: readonly string[]) => runPostgres(program, args, folder);

  function start(data = 'data', listen = port): void {
    const options = `-c listen_addresses=127.0.0.1 -c port=${listen} -c unix_socket_directories=${folder} -c fsync=off -c max_connections=60`;
    // The log is beside the data: two servers must not share one.
    run('pg_ctl', [
      '-D',
      join(folder, data),
      '-w',
      '-l',
      join(folder, `${data}.log`),
      '-o',
      options,
      'start',
    ]);
  }

  function stop(mode: 'fast' | 'immediate' = 'fast', data = 'data'): void {
    run('pg_ctl', ['-D', join(folder, data), '-w', '-m', mode, 'stop']);
  }

  async function query(url: string, text: string, values: readonly unknown[] = []) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  const urlOf = (database: string) => `postgres://admin@127.0.0.1:${port}/${database}`;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'exporter-postgres-'));
    chmodSync(folder, 0o777);
    port = await freePort();
    run('initdb', [
      '-D',
      join(folder, 'data'),
      '-U',
      'admin',
      '-A',
      'trust',
      '--no-sync',
      '-E',
      'UTF8',
      '--locale=C',
    ]);
    start();
  });

  afterAll(() => {
    for (const data of running) {
      try {
        stop('immediate', data);
      } catch {
        // A test has stopped it.
      }
    }
    rmSync(folder, { recursive: true, force: true });
  });

  return {
    get port() {
      return port;
    },
    async database({ owner, encoding = 'UTF8' } = {}) {
      databases += 1;
      const name = `test_${databases}`;
      await query(
        urlOf('postgres'),
        `CREATE DATABASE ${name} ${owner === undefined ? '' : `OWNER ${owner}`} TEMPLATE template0 ENCODING '${encoding}'`,
      );
      return urlOf(name);
    },
    query,
    async hold(url, text) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(`BEGIN; ${text}`);
      return async () => {
        await client.query('COMMIT');
        await client.end();
      };
    },
    start: () => start(),
    stop: (mode) => stop(mode),
    async standby() {
      const data = `standby-${running.length}`;
      const from = ['-h', '127.0.0.1', '-p', String(port), '-U', 'admin'];
      run('pg_basebackup', ['-D', join(folder, data), ...from, '-R', '--checkpoint=fast', '--no-sync']);
      running.push(data);
      const other = await freePort();
      start(data, other);
      return { port: other, promote: () => run('pg_ctl', ['-D', join(folder, data), '-w', 'promote']) };
    },
    async shadowClock(url) {
      await query(url, SHADOWS);
      const name = new URL(url).pathname.slice(1);
      await query(url, `ALTER DATABASE ${name} SET search_path = shadow, pg_catalog, public`);
    },
    async setClock(url, aheadMs) {
      await query(url, `UPDATE shadow.clock SET ahead = $1 * interval '1 millisecond'`, [aheadMs]);
    },
    urlFor(url, user, password) {
      const other = new URL(url);
      other.username = user;
      other.password = password;
      return other.href;
    },
  };
}
