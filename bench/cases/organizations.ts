import { gzipSync } from 'node:zlib';
import { isNewerThan, isSynced, newestIn, seriesIn } from '../page.ts';
import { configure, startPlatform } from '../platform.ts';
import { startService } from '../service.ts';
import { type Case, type CaseContext, recordAnswers, recordMemory, recordTime } from './case.ts';

/** Organizations of five people and two repositories, so that their number is measured and not their size. */
interface Size {
  readonly orgs: number;
  readonly days: number;
  readonly runs: number;
  /** Bounds in seconds, CPU seconds and MiB. */
  readonly firstSync?: number;
  readonly round?: number;
  readonly restart?: number;
  readonly resident?: number;
}

/** A page is full again if it has this share of the series that it had: some depend on the time of day. */
const FULL = 0.99;
/** Compressed bytes against those of `gzip -6`. */
const COMPRESSED = { atMost: 1.1 };

/** `serve` with many small organizations: first sync, hourly round, restart. */
export function organizationsCase(size: Size): Case {
  const { orgs, days, runs } = size;
  return {
    name: `${orgs}x${days}`,
    what: `${orgs} organizations of five people and two repositories with ${days} days, all seven collectors: the first sync, every collector once more, a restart.`,
    runs,
    measure: (context) => measure(context, size),
  };
}

async function measure(
  { checkout, helper, record, folder, profiles }: CaseContext,
  size: Size,
): Promise<void> {
  const { orgs, days } = size;
  await using platform = await startPlatform(helper.program, { orgs, users: 5, repos: 2, days });
  const config = configure(folder, platform);
  const args = [`--config.file=${config}`, '--collector.users', '--schedule.jitter=0'];
  const options = {
    folder,
    profiles,
    args: [...args, '--api.requests-per-second=1000'],
  };
  await using first = await startService(checkout, options);
  const sync = await first.phase((page) => isSynced(page, orgs));
  recordTime(record, 'first sync', sync, size.firstSync);
  record('first sync, CPU of the simulated platform', 's', platform.cpuSeconds());
  recordAnswers(record, 'first sync', sync);
  await recordMemory(record, first.memory, size.resident);
  let askedAt = Infinity;
  const round = await first.phase(
    (page) => isNewerThan(page, orgs, askedAt),
    async () => {
      askedAt = Date.now() / 1000;
      await first.post('/-/refresh');
    },
  );
  recordTime(record, 'hourly round', round, undefined, size.round);
  recordAnswers(record, 'round', round);
  const { body } = await first.scrape();
  const page = await first.page();
  record('series', '', seriesIn(page));
  record(
    'bytes of a scrape against gzip -6',
    '×',
    body.length / gzipSync(page, { level: 6 }).length,
    COMPRESSED,
  );
  record('SIGTERM to exit', 's', await first.stop());

  await using second = await startService(checkout, options);
  const restart = await second.phase(
    (text) => newestIn(text) >= newestIn(page) && seriesIn(text) >= seriesIn(page) * FULL,
  );
  recordTime(record, 'restart to the full page', restart, size.restart);
  record('restart to ready', 's', restart.readySeconds);
  recordAnswers(record, 'restart', restart);
  record('resident at most, restarted', 'MiB', second.memory().peak / 2 ** 20);
}
