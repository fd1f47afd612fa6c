import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { addDays, yesterdayOf } from '../../src/catalog/day.ts';
import { createSystemClock } from '../../src/runtime/clock.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { Built } from '../build.ts';
import { startChild } from '../child.ts';
import { endProgram, freePort } from '../programs.ts';
import { quantile } from '../report/statistics.ts';
import { cpuSecondsOf, memoryOf } from '../usage.ts';

/** What one phase of the program took. */
export interface Phase {
  /** Until every organization's figures were on the page. */
  readonly seconds: number;
  /** CPU time of the program, all threads. */
  readonly cpuSeconds: number;
  /** Answers to `/metrics` and `/-/healthy`, in milliseconds, from the first accepted connection on. */
  readonly p99: number;
  readonly slowest: number;
}

/** The program with this number of organizations. */
export interface OrganizationsResult {
  readonly organizations: number;
  readonly days: number;
  readonly series: number;
  /** From the start on an empty store. */
  readonly firstSync: Phase;
  /** Every collector of every organization once more. */
  readonly round: Phase;
  /** From the start on the store that is there. */
  readonly restart: Phase;
  /** Resident memory in bytes: after the round, and at most. */
  readonly resident: number;
  readonly peak: number;
  /** From SIGTERM to the exit, in seconds. */
  readonly stopSeconds: number;
  /** Bytes of the compressed page, and of `gzip -6` of the same text. */
  readonly compressed: number;
  readonly gzip: number;
}

const COLLECTORS = 7;
/** Small organizations, so that their number is measured and not their size. */
const PLATFORM = { users: 5, repos: 2, faults: ['slow=1:5'] };
/** How often each of the two routes is asked, in milliseconds. */
const KNOCK_MS = 50;
/** How often the page is read for progress, in milliseconds. */
const LOOK_MS = 1000;
const GIVE_UP_MS = 20 * 60_000;
const SUCCESS = /^agent_platform_exporter_collector_success\{.*\} 1$/gm;
const NEWEST = /^agent_platform_data_day_timestamp_seconds\{/gm;
const LAST = /^agent_platform_exporter_collector_last_success_timestamp_seconds\{.*\} (\S+)$/gm;

/** Runs `serve` with each number of organizations in turn, on one simulated platform that answers after 5 ms. */
export async function measureOrganizations(
  { bench, program }: Built,
  numbers: readonly number[],
  days: number,
): Promise<readonly OrganizationsResult[]> {
  const results: OrganizationsResult[] = [];
  for (const organizations of numbers) {
    results.push(
      await withPlatform(bench, organizations, days, (port, folder) =>
        measureOne(program, port, folder, organizations, days),
      ),
    );
  }
  return results;
}

/** Measures with a simulated platform of its own, on this port, and with an empty folder; both are gone afterwards. */
export async function withPlatform<Result>(
  bench: string,
  organizations: number,
  days: number,
  measure: (port: number, folder: string) => Promise<Result>,
): Promise<Result> {
  const world = { ...PLATFORM, orgs: organizations, days: days + 5 };
  const platform = await startChild(bench, 'servers/platform.js', world);
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  try {
    return await measure(platform.port, folder);
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true });
  }
}

async function measureOne(
  program: string,
  platformPort: number,
  folder: string,
  organizations: number,
  days: number,
): Promise<OrganizationsResult> {
  const args = configure(folder, platformPort, organizations, days);
  const { isSynced, isNewerThan, newestIn } = pageChecks(organizations);
  await using first = await start(program, args);
  const firstSync = await first.phase(isSynced);
  const newest = newestIn(await first.page());
  const askedAt = Date.now() / 1000;
  await first.post('/-/refresh');
  const round = await first.phase((page) => isNewerThan(page, askedAt));
  const page = await first.page();
  const compressed = await first.compressedSize();
  const { resident, peak } = first.memory();
  const stopSeconds = await first.stop();
  await using second = await start(program, args);
  const restart = await second.phase((text) => newestIn(text) >= newest);
  return {
    ...{ organizations, days, series: count(page, /^agent_platform_(?!exporter_)\w+\{/gm) },
    ...{ firstSync, round, restart, resident, peak, stopSeconds, compressed },
    gzip: gzipSync(page, { level: 6 }).length,
  };
}

/** What the pages of a process with all collectors of these organizations show. */
export function pageChecks(organizations: number) {
  const wanted = organizations * COLLECTORS;
  return {
    isSynced: (page: string) => count(page, SUCCESS) >= wanted,
    /** Whether every collector has succeeded after an instant, in seconds. */
    isNewerThan: (page: string, at: number) =>
      [...page.matchAll(LAST)].filter(([, time]) => Number(time) > at).length >= wanted,
    /** The number of datasets with a newest day. */
    newestIn: (page: string) => count(page, NEWEST),
  };
}

/** Writes the configuration, with these settings too; returns the program's arguments. */
export function configure(
  folder: string,
  platformPort: number,
  organizations: number,
  days: number,
  storage = `--storage.path=${path.join(folder, 'history.db')}`,
  settings = '',
) {
  const file = path.join(folder, 'exporter.yaml');
  // The same seed and numbers as the platform's, whose process cannot be asked for its keys.
  const { orgs } = createSandbox({ now: Date.now, orgs: organizations, users: 1, repos: 1 });
  const entries = orgs.map(({ name, keys }) => {
    const key = path.join(folder, `${name}.key`);
    writeFileSync(key, keys.owner);
    return `  - {name: ${name}, base_url: 'http://127.0.0.1:${platformPort}', api_key_file: '${key}'}`;
  });
  writeFileSync(file, `orgs:\n${entries.join('\n')}\n${settings}`);
  const start = addDays(yesterdayOf(createSystemClock().now()), 1 - days);
  return [
    ...['serve', `--config.file=${file}`, storage],
    ...['--web.enable-lifecycle', '--log.level=error', '--collector.users', '--schedule.jitter=0'],
    ...[`--history.start=${start}`, '--api.requests-per-second=1000'],
  ];
}

/** A running program that is measured. */
export type Measured = Awaited<ReturnType<typeof start>>;

/** Starts the program; its phases begin here and after the one before. */
export async function start(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let began = performance.now();
  const child = spawn(process.execPath, [program, ...args, `--web.listen-address=127.0.0.1:${port}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...environment },
  });
  const { pid = 0 } = child;
  const agent = new Agent({ keepAlive: true });
  let cpuBefore = 0;

  async function ask(route: string, headers: Readonly<Record<string, string>> = {}): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      get(`${url}${route}`, { agent, headers }, (response) => buffer(response).then(resolve, reject)).on(
        'error',
        reject,
      );
    });
  }
  const compressedPage = () => ask('/metrics', { 'accept-encoding': 'gzip' });
  const page = async () => gunzipSync(await compressedPage()).toString();

  return {
    port,
    pid,
    page,
    compressedSize: async () => (await compressedPage()).length,
    memory: () => memoryOf(pid),
    async post(route: string, token = '', body?: object): Promise<void> {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const message = body === undefined ? {} : { headers, body: JSON.stringify(body) };
      const answer = await fetch(`${url}${route}`, { method: 'POST', ...message });
      await answer.text();
      if (!answer.ok) throw new Error(`${route} answered ${answer.status}`);
    },
    /** Resolves once the page is complete, with what was seen until then. */
    async phase(isComplete: (page: string) => boolean): Promise<Phase> {
      const times: number[] = [];
      let ends = false;
      const knocks = [knock('/metrics', { 'accept-encoding': 'gzip' }), knock('/-/healthy', {})];
      while (!(await look())) {
        if (child.exitCode !== null) throw new Error('serve ended');
        if (performance.now() - began > GIVE_UP_MS) throw new Error('the page is not complete');
        await pause(LOOK_MS);
      }
      const seconds = (performance.now() - began) / 1000;
      ends = true;
      await Promise.all(knocks);
      const cpu = cpuSecondsOf(pid);
      const cpuSeconds = cpu - cpuBefore;
      cpuBefore = cpu;
      began = performance.now();
      return { seconds, cpuSeconds, p99: quantile(times, 0.99), slowest: Math.max(...times) };

      async function look(): Promise<boolean> {
        const text = await page().catch(() => '');
        return isComplete(text);
      }
      async function knock(route: string, headers: Readonly<Record<string, string>>): Promise<void> {
        while (!ends) {
          const askedAt = performance.now();
          const answered = await ask(route, headers).then(
            () => true,
            () => false,
          );
          if (answered) times.push(performance.now() - askedAt);
          await pause(KNOCK_MS);
        }
      }
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      await endProgram(child);
    },
    /** Resolves with the seconds from SIGTERM to the exit. */
    async stop(): Promise<number> {
      agent.destroy();
      const askedAt = performance.now();
      await endProgram(child);
      return (performance.now() - askedAt) / 1000;
    },
  };
}

function count(page: string, pattern: RegExp): number {
  return page.match(pattern)?.length ?? 0;
}
