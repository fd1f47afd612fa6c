// Backfills by remote write, or sends the previously encoded requests of such a backfill.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type BackfillParts, backfill } from '../../src/backfill/backfill.ts';
import { readAcknowledged } from '../../src/backfill/remote/acknowledged.ts';
import { createPost, type Post } from '../../src/backfill/remote/post.ts';
import { createRemoteTarget } from '../../src/backfill/remote/remote-target.ts';
import { createStateFile } from '../../src/backfill/state-file.ts';
import { createSystemClock } from '../../src/runtime/clock.ts';
import { createFakeLogger } from '../../test/support/fake-logger.ts';
import { CORES, moveToCore } from '../cores.ts';
import type { RemoteBackfill, RemoteBackfillOptions } from '../messages.ts';
import { peakResident } from '../usage.ts';
import { createPast, LABELS } from '../workload/past.ts';
import { answer, cpuSecondsSince, jobOptions } from './job.ts';

/** The program's defaults. */
const CONCURRENCY = 4;
const BATCH_SAMPLES = 25_000;
const TIMEOUT_MS = 30_000;

const clock = createSystemClock();
answer(await measure(jobOptions<RemoteBackfillOptions>()));

async function measure({ url, replayed, apart, ...size }: RemoteBackfillOptions): Promise<RemoteBackfill> {
  if (apart) moveToCore(CORES.measured, process.pid);
  const past = await createPast(size);
  const post = createPost({
    url,
    headers: async () => ({}),
    timeoutMs: TIMEOUT_MS,
    concurrency: CONCURRENCY,
    version: '0.0.0',
    retryAfter: () => undefined,
  });
  const bodies: Uint8Array[] = [];
  const recorded = replayed
    ? await bring(past, async (body) => {
        bodies.push(body);
        return { status: 204, text: '', retryAfterMs: undefined };
      })
    : 0;
  const startedAt = clock.elapsed();
  const cpuBefore = process.cpuUsage();
  const samples = replayed ? recorded : await bring(past, post);
  await sendAll(bodies, post);
  const seconds = (clock.elapsed() - startedAt) / 1000;
  const cpuSeconds = cpuSecondsSince(cpuBefore);
  post.close();
  return { samples, seconds, cpuSeconds, peak: peakResident() };
}

/** Backfills everything; returns the number of acknowledged samples. */
async function bring(past: Omit<BackfillParts, 'target'>, post: Post): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-backfill-'));
  try {
    const state = createStateFile(path.join(folder, 'backfill.json'));
    const target = createRemoteTarget({
      post,
      labels: LABELS,
      concurrency: CONCURRENCY,
      batchSamples: BATCH_SAMPLES,
      acknowledged: await readAcknowledged(state, 'measured', clock),
      clock,
      random: () => 0,
      log: createFakeLogger(),
    });
    return (await backfill({ ...past, target })).samples;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Sends requests with the same concurrency as the backfill. */
async function sendAll(bodies: readonly Uint8Array[], post: Post): Promise<void> {
  const queue = bodies.values();
  async function work(): Promise<void> {
    for (const body of queue) {
      const { status, text } = await post(body, new AbortController().signal);
      if (status !== 200 && status !== 204) throw new Error(`the receiver answered ${status}: ${text}`);
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
}
