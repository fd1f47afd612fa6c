import { runJob } from '../child.ts';
import { canDivide } from '../cores.ts';
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
  /** The ratio if backfill and receiver have a processor each; undefined where that cannot be arranged. */
  readonly apart: Spread | undefined;
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
  const cases = sizes.map((size) => ({ size, runs: [] as Round[], apart: [] as Round[] }));
  const divides = canDivide();
  for (let round = 0; round < rounds; round++) {
    for (const { size, runs, apart } of cases) {
      runs.push(await runRound(directory, size, false));
      if (divides) apart.push(await runRound(directory, size, true));
    }
  }
  return cases.map(({ size, runs, apart }) => {
    const of = (figure: (run: Round) => number) => median(runs.map(figure));
    return {
      ...size,
      samples: of(({ sent }) => sent.samples),
      seconds: of(({ sent }) => sent.seconds),
      cpuSeconds: of(({ sent }) => sent.cpuSeconds),
      perSecond: spreadOf(runs.map(({ sent }) => sent.samples / sent.seconds)),
      ratio: ratioOf(runs),
      apart: divides ? ratioOf(apart) : undefined,
      peak: of(({ sent }) => sent.peak),
      receiver: runs[0]?.receiver ?? '',
    };
  });
}

function ratioOf(runs: readonly Round[]): Spread {
  return ratiosOf(
    runs.map(({ replayed }) => replayed.seconds),
    runs.map(({ sent }) => sent.seconds),
  );
}

async function runRound(directory: string, size: PastSize, apart: boolean): Promise<Round> {
  const { run: sent, receiver } = await runOnce(directory, { ...size, apart, replayed: false });
  const { run: replayed } = await runOnce(directory, { ...size, apart, replayed: true });
  if (sent.samples !== replayed.samples)
    throw new Error('two runs of the same backfill differ in their samples');
  return { sent, replayed, receiver };
}

async function runOnce(directory: string, how: Omit<RemoteBackfillOptions, 'url'>) {
  const receiver = await startReceiver(directory, how.apart);
  try {
    const options: RemoteBackfillOptions = { ...how, url: receiver.url };
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
