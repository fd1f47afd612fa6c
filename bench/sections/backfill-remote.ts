import { runJob } from '../child.ts';
import type { RemoteBackfill, RemoteBackfillOptions } from '../messages.ts';
import { median, ratiosOf, type Spread, spreadOf } from '../report/statistics.ts';
import type { PastSize } from '../workload/past.ts';
import { startReceiver } from './receiver.ts';

/** Backfills of one size by remote write: medians or spreads of the rounds. */
export interface RemoteBackfillResult extends PastSize {
  readonly samples: number;
  readonly seconds: number;
  /** Of the backfill, without the receiver. */
  readonly cpuSeconds: number;
  readonly perSecond: Spread;
  /** The samples per second relative to sending the same requests again, in the same round. */
  readonly ratio: Spread;
  /** Peak resident memory of the backfill in bytes, including the store's. */
  readonly peak: number;
  /** The receiver of the samples, such as `Prometheus 2.42.0`. */
  readonly receiver: string;
}

interface Round {
  readonly sent: RemoteBackfill;
  readonly replayed: RemoteBackfill;
  readonly receiver: string;
}

/** Backfills each size by remote write, then sends the same requests to another empty receiver. */
export async function measureRemoteBackfills(
  directory: string,
  sizes: readonly PastSize[],
  rounds: number,
): Promise<readonly RemoteBackfillResult[]> {
  const cases = sizes.map((size) => ({ size, runs: [] as Round[] }));
  for (let round = 0; round < rounds; round++) {
    for (const { size, runs } of cases) runs.push(await runRound(directory, size));
  }
  return cases.map(({ size, runs }) => {
    const of = (figure: (run: Round) => number) => median(runs.map(figure));
    return {
      ...size,
      samples: of(({ sent }) => sent.samples),
      seconds: of(({ sent }) => sent.seconds),
      cpuSeconds: of(({ sent }) => sent.cpuSeconds),
      perSecond: spreadOf(runs.map(({ sent }) => sent.samples / sent.seconds)),
      ratio: ratiosOf(
        runs.map(({ replayed }) => replayed.seconds),
        runs.map(({ sent }) => sent.seconds),
      ),
      peak: of(({ sent }) => sent.peak),
      receiver: runs[0]?.receiver ?? '',
    };
  });
}

async function runRound(directory: string, size: PastSize): Promise<Round> {
  const { run: sent, receiver } = await runOnce(directory, size, false);
  const { run: replayed } = await runOnce(directory, size, true);
  if (sent.samples !== replayed.samples)
    throw new Error('two runs of the same backfill differ in their samples');
  return { sent, replayed, receiver };
}

async function runOnce(directory: string, size: PastSize, replayed: boolean) {
  const receiver = await startReceiver(directory);
  try {
    const options: RemoteBackfillOptions = { ...size, url: receiver.url, replayed };
    const run = await runJob<RemoteBackfill>(directory, 'jobs/backfill-by-remote-write.js', options);
    const taken = await receiver.samples();
    if (taken !== undefined && taken < run.samples) {
      throw new Error(`${receiver.name} received ${taken} of ${run.samples} samples`);
    }
    return { run, receiver: receiver.name };
  } finally {
    await receiver.stop();
  }
}
