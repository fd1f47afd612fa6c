import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './programs.ts';

const ROOT = '/usr/lib/postgresql';
/** Clock ticks per second in `/proc` on Linux. */
const TICKS = 100;

/** The directory of the newest installed version's programs, which are not on PATH; undefined if there is none. */
function postgresDirectory(): string | undefined {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).filter((name) => /^\d+$/.test(name)) : [];
  const newest = versions.sort((a, b) => Number(b) - Number(a))[0];
  return newest === undefined ? undefined : path.join(ROOT, newest, 'bin');
}

/** Runs a program of PostgreSQL in a directory, as the user `postgres` if this one is root, whom it refuses. */
export function runPostgres(program: string, args: readonly string[], cwd: string): void {
  const directory = postgresDirectory();
  if (directory === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql');
  const command = [path.join(directory, program), ...args];
  const [first = '', ...rest] =
    process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', ...command] : command;
  execFileSync(first, rest, { stdio: ['ignore', 'ignore', 'pipe'], cwd });
}

/** A PostgreSQL server with its defaults, on loopback, in a temporary directory. */
interface MeasuredPostgres extends AsyncDisposable {
  readonly url: string;
  /** CPU time of all of its processes, in seconds. */
  cpuSeconds(): number;
}

/** Starts a server with an empty database. */
export async function startPostgres(): Promise<MeasuredPostgres> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-postgres-'));
  chmodSync(folder, 0o777);
  const data = path.join(folder, 'data');
  const port = await freePort();
  runPostgres('initdb', ['-D', data, '-U', 'bench', '-A', 'trust', '-E', 'UTF8', '--locale=C'], folder);
  const options = `-c listen_addresses=127.0.0.1 -c port=${port} -c unix_socket_directories=${folder}`;
  runPostgres('pg_ctl', ['-D', data, '-w', '-l', path.join(folder, 'log'), '-o', options, 'start'], folder);
  const main = Number(readFileSync(path.join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  return {
    url: `postgres://bench@127.0.0.1:${port}/postgres`,
    cpuSeconds() {
      // The first process has the time of those that have ended.
      const times = statsOf().map(({ pid, parent, own, ended }) => {
        if (pid === main) return own + ended;
        return parent === main ? own : 0;
      });
      return times.reduce((sum, one) => sum + one, 0) / TICKS;
    },
    async [Symbol.asyncDispose]() {
      runPostgres('pg_ctl', ['-D', data, '-w', '-m', 'immediate', 'stop'], folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The processes of this machine (Linux), with their CPU time in clock ticks. */
function statsOf() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const file = path.join('/proc', pid, 'stat');
      // It may end while it is looked at.
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
      const fields = text.split(') ')[1]?.split(' ').map(Number);
      if (fields === undefined) return [];
      const [, parent, , , , , , , , , , user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields;
      return [{ pid: Number(pid), parent, own: user + system, ended: endedUser + endedSystem }];
    });
}
