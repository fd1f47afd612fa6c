import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Built } from '../build.ts';
import { startChild } from '../child.ts';
import { countSeries } from '../prepared-answer.ts';
import type { ComparingOptions, ServerResult } from './comparison.ts';
import { configure, pageChecks } from './organizations.ts';
import { start } from './program.ts';
import { measureScraping } from './scraping.ts';

/** The installed command with this many series, against servers that repeat its answer; `serve` comes first. */
export interface ServingResult {
  readonly series: number;
  /** While nothing is polled. */
  readonly idle: readonly ServerResult[];
  /** Each load on `serve` lasts this many milliseconds, and it polls and publishes everything once in it. */
  readonly polling: readonly ServerResult[];
}

interface ServingOptions extends Pick<ComparingOptions, 'rounds' | 'milliseconds' | 'connections'> {
  /** Rounds while polling, and the length of their loads on `serve`, in milliseconds. */
  readonly pollingRounds: number;
  readonly pollingMilliseconds: number;
}

/** Each repository has a report with about this many series. */
const SERIES_PER_REPOSITORY = 240;
const DAYS = 15;
/** Nothing is folded or dropped, and each criterion has three series. */
const SETTINGS = `limits: {series: 100000000, values_per_label: 1000000}
readiness: {criterion_counts: true}
`;

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

async function measureOne(built: Built, size: number, options: ServingOptions): Promise<ServingResult> {
  const repos = Math.max(1, Math.round(size / SERIES_PER_REPOSITORY));
  const platform = await startChild(built.bench, 'servers/platform.js', {
    orgs: 1,
    users: 5,
    repos,
    days: DAYS + 5,
  });
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  try {
    await using serve = await start(
      built,
      configure(folder, platform.port, { organizations: 1, days: DAYS }, undefined, SETTINGS),
    );
    await serve.phase({ isComplete: pageChecks(1).isSynced });
    const series = await countSeries(serve.port);
    const registries = { promClient: false, clientGolang: undefined };
    const scraping = { ...options, directory: built.bench, series, registries };
    const idle = await measureScraping(serve, scraping);
    const polling = await measureScraping(serve, {
      ...scraping,
      rounds: options.pollingRounds,
      work: { start: () => serve.post('/-/refresh'), milliseconds: options.pollingMilliseconds },
    });
    return { series, idle, polling };
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true });
  }
}
