import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { createFaultyPlatform, type FaultyPlatform } from '../client/faulty/platform.ts';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { keepLog } from '../support/logs.ts';
import { waitFor } from '../support/wait-for.ts';
import { type Page, readPage } from './page.ts';
import { type Rewrite, startRewriting } from './rewriting.ts';
import { expectSettled } from './settled.ts';

const bin = fileURLToPath(new URL('../../bin/agent-platform-exporter.js', import.meta.url));

/** The real program as a separate process, which is stopped after the test. */
export interface Program {
  readonly process: ChildProcess;
  readonly platform: FaultyPlatform;
  /** The platform's own clock, in milliseconds since the epoch. */
  readonly now: () => number;
  page(): Promise<Page>;
  get(path: string, init?: RequestInit): Promise<Response>;
  log(): string;
}

/** Further properties of the machine that the program runs on. */
interface Machine {
  /** The platform's own clock, in milliseconds since the epoch. */
  readonly now?: () => number;
  /** Arguments of Node, such as a module to load first. */
  readonly nodeArguments?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** Maximum number of file descriptors. */
  readonly openFiles?: number;
}

/** A clock that goes on from a noon: no day and no month ends during a test, and each run of it is on the same day. */
interface NoonClock {
  readonly now: () => number;
  /** Sets the clock of a program. */
  readonly nodeArguments: readonly string[];
}

/** Creates the clock of a platform and of the programs that ask it; its day is a Wednesday in November. */
export function createNoonClock(): NoonClock {
  const ahead = Date.UTC(2026, 10, 18, 12) - Date.now();
  const script = `const now = Date.now; Date.now = () => now() + ${ahead};`;
  return {
    now: () => Date.now() + ahead,
    nodeArguments: [`--import=data:text/javascript,${encodeURIComponent(script)}`],
  };
}

/** Starts the program with a simulated platform whose answers are rewritten; resolves once it serves. */
export async function startProgram(
  flags: readonly string[],
  rewrite: Rewrite = (body) => body,
  { now = Date.now, nodeArguments = [], environment = {}, openFiles }: Machine = {},
): Promise<Program> {
  const platform = createFaultyPlatform({ now, users: 12, repos: 6, days: 100 });
  const behind = await platform.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => platform.close());
  const url = await startRewriting(behind.url, rewrite);
  const isStored = flags.some((flag) => flag.startsWith('--storage.path='));
  const common = [
    ...['--web.listen-address=127.0.0.1:0', '--schedule.jitter=0'],
    ...(isStored ? [] : ['--storage.path=:memory:']),
  ];
  const limited = openFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${openFiles} && exec "$@"`, 'sh'];
  const [command = '', ...args] = [...limited, process.execPath, ...nodeArguments, bin, 'serve'];
  const child = spawn(command, [...args, ...common, ...flags], {
    env: {
      ...COMPILE_CACHE,
      AGENT_PLATFORM_API_BASE_URL: url,
      AGENT_PLATFORM_API_KEY: platform.orgs[0]?.keys.owner ?? '',
      AGENT_PLATFORM_API_REQUESTS_PER_SECOND: '1000',
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => {
    log += text;
  });
  keepLog('the program', () => log);
  const port = await waitFor(
    () => {
      if (child.exitCode !== null) throw new Error('the program has exited');
      return /Serving.* port=(\d+)/.exec(log)?.[1] ?? false;
    },
    { what: 'the program says where it serves', seen: () => log },
  );
  const here = `http://127.0.0.1:${port}`;
  return {
    process: child,
    ...{ platform, now },
    page: async () => readPage(await (await fetch(`${here}/metrics`)).text()),
    get: (path, init) => fetch(here + path, init),
    log: () => log,
  };
}

/** The page once each of these collectors has run. */
export function pageAfterRuns(program: Program, collectors: readonly string[]): Promise<Page> {
  return waitFor(
    async () => {
      const page = await program.page();
      const ran = page.by('collector', 'agent_platform_exporter_collector_success');
      return collectors.every((collector) => ran[collector] !== undefined) && page;
    },
    { what: `runs of ${collectors.join(', ')}`, seen: program.log },
  );
}

/** The page once the first run of each of these collectors is complete: with all days, not only the newest. */
export function settledPage(program: Program, collectors: readonly string[]): Promise<Page> {
  return waitFor(
    async () => {
      const page = await program.page();
      expectSettled(page, collectors, program.now());
      return page;
    },
    { what: `whole runs of ${collectors.join(', ')}`, seen: program.log },
  );
}
