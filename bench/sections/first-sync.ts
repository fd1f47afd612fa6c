import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { addDays, yesterdayOf } from '../../src/catalog/day.ts';
import { createSystemClock } from '../../src/runtime/clock.ts';
import type { Built } from '../build.ts';
import { startChild } from '../child.ts';
import type { PlatformUsage, Question, Usage } from '../messages.ts';
import { median, type Spread, spreadOf } from '../report/statistics.ts';

/** The first sync of one organization: medians or spreads of the rounds. */
export interface FirstSyncResult {
  readonly days: number;
  readonly requests: number;
  readonly seconds: Spread;
  /** Of the exporter's process, including its start-up. */
  readonly cpuSeconds: Spread;
  /** Of the simulated platform's process, for its answers. */
  readonly platformCpuSeconds: number;
  /** Peak resident memory of the exporter, in bytes. */
  readonly peak: number;
}

interface Run extends Usage {
  readonly seconds: number;
  readonly requests: number;
  readonly platformCpuSeconds: number;
}

const KEY = 'sandbox-acme-owner';
/** The configurable maximum, so that the exporter itself is measured. */
const REQUESTS_PER_SECOND = '1000';
const USAGE = { kind: 'usage' } satisfies Question;

/** Polls everything once from an empty store, as many times as there are rounds. */
export async function measureFirstSync(
  { bench, program }: Built,
  days: number,
  rounds: number,
): Promise<FirstSyncResult> {
  const runs: Run[] = [];
  for (let round = 0; round < rounds; round++) {
    const platform = await startChild(bench, 'servers/platform.js');
    const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
    try {
      const before = await platform.ask<PlatformUsage>(USAGE);
      const hook = path.join(bench, 'bench/jobs/report-usage.js');
      const once = await pollOnce([`--import=${hook}`, program], platform.port, folder, days);
      const after = await platform.ask<PlatformUsage>(USAGE);
      const platformCpuSeconds = after.cpuSeconds - before.cpuSeconds;
      runs.push({ ...once, platformCpuSeconds, requests: after.requests - before.requests });
    } finally {
      await platform.stop();
      rmSync(folder, { recursive: true });
    }
  }
  const of = (figure: (run: Run) => number) => median(runs.map(figure));
  return {
    days,
    requests: of(({ requests }) => requests),
    seconds: spreadOf(runs.map(({ seconds }) => seconds)),
    cpuSeconds: spreadOf(runs.map(({ cpuSeconds }) => cpuSeconds)),
    platformCpuSeconds: of(({ platformCpuSeconds }) => platformCpuSeconds),
    peak: of(({ peak }) => peak),
  };
}

/** From the start of the process to its exit; throws if something could not be fetched. */
async function pollOnce(node: readonly string[], port: number, folder: string, days: number) {
  const start = addDays(yesterdayOf(createSystemClock().now()), 1 - days);
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...node, 'once', `--history.start=${start}`, '--log.level=error'], {
    cwd: folder,
    env: {
      TMPDIR: folder,
      AGENT_PLATFORM_API_BASE_URL: `http://127.0.0.1:${port}`,
      AGENT_PLATFORM_API_KEY: KEY,
      AGENT_PLATFORM_API_REQUESTS_PER_SECOND: REQUESTS_PER_SECOND,
      AGENT_PLATFORM_ORG: 'acme',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const usage = child.stdio[3];
  if (usage === null || usage === undefined || !('read' in usage)) throw new Error('there is no pipe');
  const [written, [code]] = await Promise.all([text(usage), once(child, 'exit')]);
  if (code !== 0) throw new Error(`the first sync exited with code ${code}`);
  return { seconds: (performance.now() - startedAt) / 1000, ...(JSON.parse(written) as Usage) };
}
