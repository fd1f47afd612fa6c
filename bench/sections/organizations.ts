import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { addDays, yesterdayOf } from '../../src/catalog/day.ts';
import { createSystemClock } from '../../src/runtime/clock.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import type { Built } from '../build.ts';
import { startChild } from '../child.ts';
import { median } from '../report/statistics.ts';
import { type Phase, start } from './program.ts';

/** How many organizations one process has, and the days of each. */
export interface OrganizationsSize {
  readonly organizations: number;
  readonly days: number;
}

/** The program with this number of organizations, in one round. */
interface OrganizationsRun {
  readonly series: number;
  /** From the start on an empty store. */
  readonly firstSync: Phase;
  /** Every collector of every organization once more, after a rest. */
  readonly round: Phase;
  /** From the start on the store that is there, until every collector has succeeded again. */
  readonly restart: Phase;
  /** Resident memory in bytes: at rest after the first sync, and at most. */
  readonly resident: number;
  readonly peak: number;
  /** From SIGTERM to the exit, in seconds. */
  readonly stopSeconds: number;
  /** Bytes of the compressed page, and of `gzip -6` of the same text. */
  readonly compressed: number;
  readonly gzip: number;
}

/** The medians of the rounds; of the slowest answers, the longest stalls and the peaks, the largest. */
export interface OrganizationsResult extends OrganizationsSize, OrganizationsRun {
  readonly runs: readonly OrganizationsRun[];
}

/** The sizes whose CPU times are compared, and therefore measured in several rounds: organizations of the same few days. */
export const LINE = { from: 50, between: 100, to: 500 };
const COMPARED: readonly number[] = Object.values(LINE);

const COLLECTORS = 7;
/** Small organizations, so that their number is measured and not their size. */
const PLATFORM = { users: 5, repos: 2, faults: ['slow=1:5'] };
const SUCCESS = /^agent_platform_exporter_collector_success\{.*\} 1$/gm;
const NEWEST = /^agent_platform_data_day_timestamp_seconds\{/gm;
const LAST = /^agent_platform_exporter_collector_last_success_timestamp_seconds\{.*\} (\S+)$/gm;

/** Runs `serve` with each size in turn, on one simulated platform that answers after 5 ms. */
export async function measureOrganizations(
  built: Built,
  sizes: readonly OrganizationsSize[],
  rounds: number,
): Promise<readonly OrganizationsResult[]> {
  const cases = sizes.map((size) => ({ size, runs: [] as OrganizationsRun[] }));
  for (let round = 0; round < rounds; round++) {
    for (const { size, runs } of cases) {
      if (round > 0 && !isCompared(size, sizes)) continue;
      runs.push(
        await withPlatform(built.bench, size, (port, folder) => measureOne(built, port, folder, size)),
      );
    }
  }
  return cases.map(({ size, runs }) => ({ ...size, ...typicalOf(runs), runs }));
}

function isCompared(
  { organizations, days }: OrganizationsSize,
  sizes: readonly OrganizationsSize[],
): boolean {
  return days === sizes[0]?.days && COMPARED.includes(organizations);
}

function typicalOf(runs: readonly OrganizationsRun[]): OrganizationsRun {
  const of = (figure: (run: OrganizationsRun) => number) => median(runs.map(figure));
  return {
    series: of(({ series }) => series),
    firstSync: typicalPhase(runs.map(({ firstSync }) => firstSync)),
    round: typicalPhase(runs.map(({ round }) => round)),
    restart: typicalPhase(runs.map(({ restart }) => restart)),
    resident: of(({ resident }) => resident),
    peak: Math.max(...runs.map(({ peak }) => peak)),
    stopSeconds: of(({ stopSeconds }) => stopSeconds),
    compressed: of(({ compressed }) => compressed),
    gzip: of(({ gzip }) => gzip),
  };
}

function typicalPhase(phases: readonly Phase[]): Phase {
  const of = (figure: (phase: Phase) => number) => median(phases.map(figure));
  return {
    seconds: of(({ seconds }) => seconds),
    fullSeconds: of(({ fullSeconds }) => fullSeconds),
    cpuSeconds: of(({ cpuSeconds }) => cpuSeconds),
    p99: of(({ p99 }) => p99),
    slowest: Math.max(...phases.map(({ slowest }) => slowest)),
    stalls: {
      p999: of(({ stalls }) => stalls.p999),
      longest: Math.max(...phases.map(({ stalls }) => stalls.longest)),
      ran: of(({ stalls }) => stalls.ran),
    },
  };
}

/** Measures with a simulated platform of its own, on this port, and with an empty folder; both are gone afterwards. */
export async function withPlatform<Result>(
  bench: string,
  { organizations, days }: OrganizationsSize,
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
  built: Built,
  platformPort: number,
  folder: string,
  size: OrganizationsSize,
): Promise<OrganizationsRun> {
  const args = configure(folder, platformPort, size);
  const { isSynced, isNewerThan, newestIn } = pageChecks(size.organizations);
  await using first = await start(built, args);
  const firstSync = await first.phase({ isComplete: isSynced });
  const newest = newestIn(await first.page());
  let [resident, askedAt] = [0, Number.POSITIVE_INFINITY];
  const round = await first.phase({
    isComplete: (page) => isNewerThan(page, askedAt),
    async begin() {
      resident = first.memory().resident;
      askedAt = Date.now() / 1000;
      await first.post('/-/refresh');
    },
  });
  const page = await first.page();
  const compressed = await first.compressedSize();
  const peakBefore = first.memory().peak;
  const stopSeconds = await first.stop();
  const isFull = (text: string) => newestIn(text) >= newest;
  await using second = await start(built, args);
  const restart = await second.phase({ isComplete: isSynced, isFull });
  const peak = Math.max(peakBefore, second.memory().peak);
  await second.stop();
  return {
    series: count(page, /^agent_platform_(?!exporter_)\w+\{/gm),
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
  { organizations, days }: OrganizationsSize,
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

function count(page: string, pattern: RegExp): number {
  return page.match(pattern)?.length ?? 0;
}
