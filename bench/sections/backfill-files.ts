import { runJob } from '../child.ts';
import type { FileBackfill } from '../messages.ts';
import { median } from '../report/statistics.ts';
import type { PastSize } from '../workload/past.ts';

/** Backfills of one size to files: medians of the rounds. */
export interface FileBackfillResult extends PastSize {
  readonly samples: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** The time relative to writing the same bytes directly to one file, in the same round. */
  readonly ratio: number;
  /** Peak resident memory in bytes, including the store's. */
  readonly peak: number;
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
      perSecond: of(({ samples, seconds }) => samples / seconds),
      ratio: of(({ seconds, straightSeconds }) => seconds / straightSeconds),
      peak: of(({ peak }) => peak),
    };
  });
}
