import { type Collector, expensiveDatasets, isDayCollector } from '../../src/catalog/collector.ts';
import type { Day } from '../../src/catalog/day.ts';
import { exportDays } from '../../src/export/export.ts';
import type { ExportFormat } from '../../src/export/format.ts';
import type { RowSink } from '../../src/export/sink.ts';
import type { KnownOrg } from '../../src/pipeline/past-days.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { silent } from '../backfill/brought.ts';

interface Exporting {
  readonly orgs: readonly KnownOrg[];
  readonly collectors: readonly Collector[];
  readonly from: Day;
  readonly to: Day;
  readonly now: number;
  readonly format: ExportFormat;
  readonly sink?: RowSink;
  readonly signal?: AbortSignal;
  readonly closedAfterDays?: number;
  readonly sumOfMonth?: (amounts: readonly number[]) => number;
}

/** What `export` is asked for without any option. */
export const defaultValues = {
  format: 'csv',
  layout: undefined,
  by: 'day',
  delimiter: undefined,
  split: false,
  criteria: false,
  month: undefined,
  corrections: undefined,
  collector: [],
  org: [],
  from: undefined,
  to: undefined,
  output: undefined,
} as const;

/** Exports with the limits of a default configuration; resolves with the lines and the outcome. */
export async function exported(options: Exporting) {
  const lines: string[] = [];
  const sink: RowSink = {
    write: (text) => void lines.push(text),
    finish: async () => undefined,
    abandon: async () => undefined,
  };
  const outcome = await exportDays({
    pages: {
      aboutFamilies: [],
      datasets: options.collectors.filter(isDayCollector).map(({ dataset }) => dataset),
      expensive: expensiveDatasets(options.collectors),
      bounds: { historyStart: options.from },
      labelLimit: () => 200,
      seriesBudget: 1_000_000,
      knownAt: options.now,
      clock: createSystemClock(),
    },
    sink,
    progress: silent,
    signal: new AbortController().signal,
    ...options,
  });
  return { lines, outcome };
}
