import path from 'node:path';
import { isNewerThan, isSynced, newestIn } from '../page.ts';
import { configure, startPlatform } from '../platform.ts';
import { startPostgres } from '../postgres.ts';
import { type Phase, type Service, startService } from '../service.ts';
import type { Case, CaseContext } from './case.ts';

const DAYS = 15;

/** `serve` with many small organizations by replicas on one PostgreSQL server of this machine. */
export function replicasCase(orgs: number, replicas: number): Case {
  return {
    name: `replicas-${replicas}`,
    what: `${orgs} organizations of five people and two repositories with ${DAYS} days in PostgreSQL, shared by processes: ${replicas}. CPU is the sum of all, everything else that of the slowest or largest.`,
    runs: 1,
    onRequest: true,
    measure: (context) => measure(context, orgs, replicas),
  };
}

async function measure(
  { checkout, helper, record, folder }: CaseContext,
  orgs: number,
  replicas: number,
): Promise<void> {
  await using platform = await startPlatform(helper.program, { orgs, users: 5, repos: 2, days: DAYS });
  await using database = await startPostgres();
  await using stack = new AsyncDisposableStack();
  const config = configure(folder, platform);
  const flags = ['--collector.users', '--schedule.jitter=0', '--api.requests-per-second=1000'];
  async function start(name: string): Promise<Service> {
    const args = [`--config.file=${config}`, ...flags];
    const storage = `--storage.url=${database.url}`;
    return stack.use(await startService(checkout, { folder: path.join(folder, name), args, storage }));
  }
  const services: Service[] = [];
  for (let index = 0; index < replicas; index++) services.push(await start(String(index)));

  let before = 0;
  async function together(during: string, phases: readonly Promise<Phase>[]): Promise<void> {
    const all = await Promise.all(phases);
    const most = (value: (phase: Phase) => number) => Math.max(...all.map(value));
    record(
      during,
      's',
      most(({ seconds }) => seconds),
    );
    record(
      `${during}, CPU`,
      's',
      all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    );
    const now = database.cpuSeconds();
    record(`${during}, CPU of the database`, 's', now - before);
    before = now;
    record(
      `answers during the ${during}, p99`,
      'ms',
      most(({ p99 }) => p99),
    );
    record(
      `longest block of the loop in the ${during}`,
      'ms',
      most(({ longest }) => longest),
    );
  }

  await together(
    'first sync',
    services.map((service) => service.phase((page) => isSynced(page, orgs))),
  );
  const [first, ...others] = services;
  if (first === undefined) throw new Error('no process');
  const newest = newestIn(await first.page());
  let askedAt = Infinity;
  const isComplete = (page: string) => isNewerThan(page, orgs, askedAt);
  await together('round', [
    first.phase(isComplete, async () => {
      askedAt = Date.now() / 1000;
      await first.post('/-/refresh');
    }),
    ...others.map((other) => other.phase(isComplete)),
  ]);
  record('resident at most', 'MiB', Math.max(...services.map(({ memory }) => memory().peak)) / 2 ** 20);
  for (const service of services) await service.stop();
  before = database.cpuSeconds();
  const again = await start('again');
  await together('restart', [again.phase((page) => newestIn(page) >= newest)]);
}
