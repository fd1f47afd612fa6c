import { runJob } from '../child.ts';
import type { FileBackfill } from '../messages.ts';
import { median } from '../report/statistics.ts';
import type { PastSize } from '../workload/past.ts';

/** What was seen of backfills of a size to files: medians of the rounds. */
export interface FileBackfillResult extends PastSize {
  readonly samples: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** The time against that of writing the same bytes straight to one file, in the same round. */
  readonly ratio: number;
  /** Most resident memory in bytes, the store's included. */
  readonly peak: number;
}

/** Backfills each size to files, each time in a process of its own. */
export async function measureFileBackfills(
  directory: string,
  sizes: readonly PastSize[],
  rounds: number,
): Promise<readonly FileBackfillResult[]> {
  const cases = sizes.map((size) => ({ size, runs: [] as FileBackfill[] }));
  // Round by round, so that what else the machine does meets all of them.
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
