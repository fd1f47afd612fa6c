import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Built } from '../build.ts';
import { type Child, startChild } from '../child.ts';
import { countSeries } from '../prepared-answer.ts';
import { configure, type Measured, pageChecks, start } from './organizations.ts';
import { measureScraping, type ScrapingOptions, type ServerResult } from './scraping.ts';

/** The installed command with this many series, against servers that repeat its answer; `serve` comes first. */
export interface ServingResult {
  readonly series: number;
  /** While nothing is polled. */
  readonly idle: readonly ServerResult[];
  /** While it polls and publishes everything every few seconds. */
  readonly polling: readonly ServerResult[];
}

type ServingOptions = Omit<ScrapingOptions, 'directory' | 'series' | 'withPromClient'>;

/** Each repository has a report with about this many series. */
const SERIES_PER_REPOSITORY = 90;
const DAYS = 15;
/** How often everything is polled. */
const POLL_MS = 5000;

/** Runs `serve` on a simulated platform with enough repositories for about each number of series in turn. */
export async function measureServing(
  built: Built,
  sizes: readonly number[],
  options: ServingOptions,
): Promise<readonly ServingResult[]> {
  const results: ServingResult[] = [];
  for (const series of sizes) results.push(await measureOne(built, series, options));
  return results;
}

async function measureOne(
  { bench, program }: Built,
  size: number,
  options: ServingOptions,
): Promise<ServingResult> {
  const repos = Math.max(1, Math.round(size / SERIES_PER_REPOSITORY));
  const platform = await startChild(bench, 'servers/platform.js', {
    orgs: 1,
    users: 5,
    repos,
    days: DAYS + 5,
  });
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  try {
    await using serve = await start(program, configure(folder, platform.port, 1, DAYS));
    await serve.phase(pageChecks(1).isSynced);
    const series = await countSeries(serve.port);
    const scraping = { ...options, directory: bench, series, withPromClient: false };
    const idle = await measureScraping(childOf(serve), scraping);
    const polling = await whilePolling(serve, () => measureScraping(childOf(serve), scraping));
    return { series, idle, polling };
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true });
  }
}

async function whilePolling<Result>(serve: Measured, measure: () => Promise<Result>): Promise<Result> {
  const ends = new AbortController();
  async function poll(): Promise<void> {
    while (!ends.signal.aborted) {
      await serve.post('/-/refresh');
      await pause(POLL_MS, undefined, { signal: ends.signal }).catch(() => undefined);
    }
  }
  const polls = poll();
  try {
    return await measure();
  } finally {
    ends.abort();
    await polls;
  }
}

/** The program as a server under test. */
function childOf(serve: Measured): Child {
  return {
    port: serve.port,
    ask: async <Answer>() => serve.memory() as Answer,
    stop: async () => undefined,
  };
}
