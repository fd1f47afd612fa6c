import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { startChild } from '../child.ts';
import { configure, daysAgo, startPlatform, type World } from '../platform.ts';
import type { Case, CaseContext } from './case.ts';

/** How long ago the last day is that is certainly known. */
const SETTLED_DAYS = 5;

/** The command `backfill`, with all days in the store. */
export function backfillCase(world: World, runs: number): Case {
  return {
    name: 'backfill',
    what: `\`backfill\` of ${world.days} stored days of an organization of ${world.users} people and ${world.repos} repositories, from start to end: to files, and by remote write to a server that discards it.`,
    runs,
    measure: (context) => measure(context, world),
  };
}

async function measure({ checkout, helper, record, folder }: CaseContext, world: World): Promise<void> {
  await using platform = await startPlatform(helper.program, world);
  const config = configure(folder, platform);
  // On a weekend nobody of few people works, and whether such a day is idle is known some days later.
  const last = daysAgo(SETTLED_DAYS);
  const receiver = await startChild('servers/discard.ts', { status: 204, body: '' });
  async function backfill(...flags: string[]): Promise<number> {
    const startedAt = performance.now();
    const shared = [`--config.file=${config}`, `--storage.path=${path.join(folder, 'history.db')}`];
    const limits = [
      '--api.requests-per-second=1000',
      '--log.level=error',
      '--label=job=a',
      '--label=instance=a',
      `--to=${last}`,
    ];
    const args = [checkout.program, 'backfill', ...shared, ...limits, ...flags];
    const child = spawn(process.execPath, args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ...checkout.environment },
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`backfill exited with code ${code}`);
    return (performance.now() - startedAt) / 1000;
  }
  try {
    await backfill(`--output=${path.join(folder, 'fetched')}`);
    const output = path.join(folder, 'files');
    const seconds = await backfill(`--output=${output}`);
    const samples = samplesIn(output);
    record('samples', '', samples);
    record('to files', 's', seconds);
    record('to files, samples per second', '1/s', samples / seconds);
    const sent = await backfill(`--remote-write.url=http://127.0.0.1:${receiver.port}/api/v1/write`);
    record('by remote write', 's', sent);
    record('by remote write, samples per second', '1/s', samples / sent);
  } finally {
    await receiver.stop();
  }
}

function samplesIn(folder: string): number {
  const files = readdirSync(folder).filter((name) => name.endsWith('.om'));
  return files.reduce(
    (sum, name) => sum + (readFileSync(path.join(folder, name), 'utf8').match(/^[^#\n]/gm)?.length ?? 0),
    0,
  );
}
