// Backfills to files, and then writes the same bytes directly to one file.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { backfill } from '../../src/backfill/backfill.ts';
import { createFileTarget } from '../../src/backfill/file/file-target.ts';
import { createSystemClock } from '../../src/runtime/clock.ts';
import { createFakeLogger } from '../../test/support/fake-logger.ts';
import type { FileBackfill } from '../messages.ts';
import { peakResident } from '../usage.ts';
import { createPast, LABELS, type PastSize } from '../workload/past.ts';
import { answer, cpuSecondsSince, jobOptions } from './job.ts';

answer(await measure(jobOptions<PastSize>()));

async function measure(size: PastSize): Promise<FileBackfill> {
  const past = await createPast(size);
  const output = mkdtempSync(path.join(tmpdir(), 'bench-backfill-'));
  const clock = createSystemClock();
  try {
    const startedAt = clock.elapsed();
    const cpuBefore = process.cpuUsage();
    const target = await createFileTarget({
      output,
      single: false,
      labels: LABELS,
      arguments: [],
      log: createFakeLogger(),
    });
    const { samples } = await backfill({ ...past, target });
    const seconds = (clock.elapsed() - startedAt) / 1000;
    const cpuSeconds = cpuSecondsSince(cpuBefore);
    const peak = peakResident();
    return { samples, seconds, cpuSeconds, peak, ...(await writeStraight(output)) };
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}

/** Writes the contents of the backfilled files to one file; only the writing is timed. */
async function writeStraight(folder: string): Promise<Pick<FileBackfill, 'bytes' | 'straightSeconds'>> {
  const clock = createSystemClock();
  const target = await open(path.join(folder, 'straight'), 'w');
  const buffer = Buffer.allocUnsafe(1024 * 1024);
  let [bytes, milliseconds] = [0, 0];
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.om'))) {
    const source = await open(path.join(folder, name));
    for (;;) {
      const { bytesRead } = await source.read(buffer);
      if (bytesRead === 0) break;
      const startedAt = clock.elapsed();
      await target.write(buffer, 0, bytesRead);
      milliseconds += clock.elapsed() - startedAt;
      bytes += bytesRead;
    }
    await source.close();
  }
  const startedAt = clock.elapsed();
  await target.sync();
  milliseconds += clock.elapsed() - startedAt;
  await target.close();
  return { bytes, straightSeconds: milliseconds / 1000 };
}
