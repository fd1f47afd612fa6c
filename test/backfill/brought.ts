import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { backfill } from '../../src/backfill/backfill.ts';
import { createFileTarget } from '../../src/backfill/file/file-target.ts';
import type { BackfillTarget } from '../../src/backfill/target.ts';
import type { Collector } from '../../src/catalog/collector.ts';
import { expensiveDatasets, isDayCollector } from '../../src/catalog/collector.ts';
import type { Day } from '../../src/catalog/day.ts';
import { aboutFamilies } from '../../src/collectors/index.ts';
import type { CountedProgress } from '../../src/log/progress.ts';
import type { KnownOrg } from '../../src/pipeline/past-days.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

export const silent: CountedProgress = { show: () => undefined, clear: () => undefined };

interface Bringing {
  readonly orgs: readonly KnownOrg[];
  readonly collectors: readonly Collector[];
  readonly from: Day;
  readonly to: Day;
  readonly now: number;
  readonly target: BackfillTarget;
  readonly historyStart?: Day;
  readonly stepMs?: number;
  readonly labelLimit?: (label: string) => number;
  readonly seriesBudget?: number;
  readonly signal?: AbortSignal;
  readonly progress?: CountedProgress;
}

/** Runs a backfill, by default with the limits of a default configuration. */
export function bring(options: Bringing) {
  return backfill({
    pages: {
      aboutFamilies,
      datasets: options.collectors.filter(isDayCollector).map(({ dataset }) => dataset),
      expensive: expensiveDatasets(options.collectors),
      bounds: { historyStart: options.historyStart ?? options.from },
      labelLimit: options.labelLimit ?? (() => 200),
      seriesBudget: options.seriesBudget ?? 1_000_000,
      knownAt: options.now,
      clock: createSystemClock(),
    },
    stepMs: undefined,
    progress: silent,
    signal: new AbortController().signal,
    ...options,
  }).finally(() => options.target.close());
}

/** A directory that is removed after the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'backfill-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function fileTarget(output: string, run: unknown = 'run'): Promise<BackfillTarget> {
  return createFileTarget({
    output,
    single: output.includes('.om'),
    labels: { job: 'agent-platform' },
    arguments: run,
    log: createFakeLogger(),
  });
}

/** The text of every OpenMetrics file in a directory, by name. */
export function filesIn(path: string): Readonly<Record<string, string>> {
  const names = readdirSync(path).filter((name) => name.endsWith('.om'));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(path, name), 'utf8')]));
}
