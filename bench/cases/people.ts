import { isSynced, peopleIn, seriesIn } from '../page.ts';
import { configure, startPlatform } from '../platform.ts';
import { startService } from '../service.ts';
import { type Case, type CaseContext, recordAnswers, recordMemory, recordTime } from './case.ts';

/** A publication blocks the event loop for at most so many milliseconds. */
const BLOCK = 50;

/** An organization whose people are identified; about half of them are active on a weekday, and fewer at weekends. */
export function peopleCase(users: number, runs: number): Case {
  const limit = Math.floor(users / 2.1);
  return {
    name: 'people',
    what: `An organization of ${users} people, of whom at most ${limit} are identified by their id, fewer after a weekend: the first sync, and a publication of everything because a limit has changed.`,
    runs,
    measure: (context) => measure(context, users, limit),
  };
}

async function measure(
  { checkout, helper, record, folder, profiles }: CaseContext,
  users: number,
  limit: number,
): Promise<void> {
  await using platform = await startPlatform(helper.program, { orgs: 1, users, repos: 2, days: 15 });
  const write = (kept: number) =>
    configure(folder, platform, `limits: {values_per_label: {user: ${kept}}}\n`);
  const flags = ['--collector.users', '--users.identity=id', '--schedule.jitter=0'];
  const args = [`--config.file=${write(limit)}`, ...flags, '--api.requests-per-second=1000'];
  await using service = await startService(checkout, { folder, profiles, args });
  const sync = await service.phase((page) => isSynced(page, 1));
  recordTime(record, 'first sync', sync);
  recordAnswers(record, 'first sync', sync, BLOCK);
  await recordMemory(record, service.memory);
  const page = await service.page();
  const before = seriesIn(page);
  record('series', '', before);
  const publication = await service.phase(
    (now) => seriesIn(now) < before,
    async () => {
      write(peopleIn(page) - 1);
      await service.post('/-/reload');
    },
  );
  recordTime(record, 'publication', publication);
  recordAnswers(record, 'publication', publication, BLOCK);
}
