import { runJob } from '../child.ts';
import type { FileBackfill } from '../messages.ts';
import { median, ratiosOf, type Spread, spreadOf } from '../report/statistics.ts';
import type { PastSize } from '../workload/past.ts';

/** Backfills of one size to files: medians or spreads of the rounds. */
export interface FileBackfillResult extends PastSize {
  readonly samples: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly perSecond: Spread;
  /** The time relative to writing the same bytes directly to one file, in the same round. */
  readonly ratio: Spread;
  /** Peak resident memory of each round in bytes, including the store's. */
  readonly peaks: readonly number[];
}

/** Backfills each size to files, each time in a new process. */
export async function measureFileBackfills(
  directory: string,
  sizes: readonly PastSize[],
  rounds: number,
): Promise<readonly FileBackfillResult[]> {
  const cases = sizes.map((size) => ({ size, runs: [] as FileBackfill[] }));
  // Round by round, so that other load on the machine affects all of them.
  for (let round = 0; round < rounds; round++) {
    for (const { size, runs } of cases) {
      runs.push(await runJob<FileBackfill>(directory, 'jobs/backfill-to-file.js', size));
    }
  }
  return cases.map(({ size, runs }) => {
    const of = (figure: (run: FileBackfill) => number) => median(runs.map(figure));
    return {
      ...size,
      samples: of(({ samples }) => samples),
      bytes: of(({ bytes }) => bytes),
      seconds: of(({ seconds }) => seconds),
      cpuSeconds: of(({ cpuSeconds }) => cpuSeconds),
      perSecond: spreadOf(runs.map((run) => run.samples / run.seconds)),
      ratio: ratiosOf(
        runs.map((run) => run.seconds),
        runs.map((run) => run.straightSeconds),
      ),
      peaks: runs.map(({ peak }) => peak),
    };
  });
}
