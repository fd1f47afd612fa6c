import { setTimeout as pause } from 'node:timers/promises';
import type { Built } from '../build.ts';
import { postgresDirectory, startPostgres } from '../postgres.ts';
import { quantile } from '../report/statistics.ts';
import { configure, type OrganizationsSize, pageChecks, withPlatform } from './organizations.ts';
import { type Measured, type Phase, start } from './program.ts';

/** Where the organizations are stored, and by how many processes. */
const VARIANTS = [
  { store: 'file', processes: 1 },
  { store: 'PostgreSQL', processes: 1 },
  { store: 'PostgreSQL', processes: 3 },
] as const;

/** A phase over all processes: the CPU time is their sum, everything else that of the slowest. */
interface SharedPhase extends Phase {
  /** CPU time of the database server. */
  readonly databaseSeconds: number;
}

/** The same organizations in one store. */
export interface ReplicasResult extends OrganizationsSize {
  readonly store: (typeof VARIANTS)[number]['store'];
  readonly processes: number;
  /** From the start on an empty store until every process has the whole page. */
  readonly firstSync: SharedPhase;
  /** Every collector of every organization once more. */
  readonly round: SharedPhase;
  /** One process, from its start on the store that is there. */
  readonly restart: SharedPhase;
  /** Resident memory of the largest process after the round, in bytes. */
  readonly resident: number;
  /** From the answer to a hook event until it is on the other processes' pages, in milliseconds. */
  readonly delays: { readonly median: number; readonly longest: number } | undefined;
}

const TOKEN = 'a-token-of-the-benchmark';
const EVENTS = 5;
/** How often a page is read for an event, in milliseconds. */
const LOOK_MS = 50;

/** Runs `serve` on a file, and on PostgreSQL with one and three replicas; undefined if that is not installed. */
export async function measureReplicas(
  built: Built,
  size: OrganizationsSize,
): Promise<readonly ReplicasResult[] | undefined> {
  if (postgresDirectory() === undefined) return undefined;
  const results: ReplicasResult[] = [];
  for (const variant of VARIANTS) {
    results.push({
      ...{ ...variant, ...size },
      ...(await withPlatform(built.bench, size, (port, folder) =>
        measureOne(built, port, folder, variant, size),
      )),
    });
  }
  return results;
}

async function measureOne(
  built: Built,
  port: number,
  folder: string,
  { store, processes }: (typeof VARIANTS)[number],
  size: OrganizationsSize,
) {
  await using database = store === 'file' ? undefined : await startPostgres();
  const storage = database === undefined ? undefined : `--storage.url=${database.url}`;
  const args = configure(folder, port, size, storage);
  const environment = { AGENT_PLATFORM_HOOKS_TOKEN: TOKEN };
  const checks = pageChecks(size.organizations);
  await using stack = new AsyncDisposableStack();
  const replicas: Measured[] = [];
  for (let index = 0; index < processes; index += 1)
    replicas.push(stack.use(await start(built, args, environment)));

  let before = 0;
  async function together(
    all: readonly Measured[],
    isComplete: (page: string) => boolean,
  ): Promise<SharedPhase> {
    const phases = await Promise.all(all.map((replica) => replica.phase({ isComplete })));
    const now = database?.cpuSeconds() ?? 0;
    const databaseSeconds = now - before;
    before = now;
    const most = (value: (phase: Phase) => number) => Math.max(...phases.map(value));
    return {
      seconds: most(({ seconds }) => seconds),
      fullSeconds: most(({ fullSeconds }) => fullSeconds),
      cpuSeconds: phases.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
      p99: most(({ p99 }) => p99),
      slowest: most(({ slowest }) => slowest),
      stalls: {
        p999: most(({ stalls }) => stalls.p999),
        longest: most(({ stalls }) => stalls.longest),
        ran: most(({ stalls }) => stalls.ran),
      },
      databaseSeconds,
    };
  }

  const firstSync = await together(replicas, checks.isSynced);
  const [first, ...others] = replicas;
  if (first === undefined) throw new Error('no process');
  const newest = checks.newestIn(await first.page());
  const askedAt = Date.now() / 1000;
  await first.post('/-/refresh');
  const round = await together(replicas, (page) => checks.isNewerThan(page, askedAt));
  const resident = Math.max(...replicas.map((replica) => replica.memory().resident));
  const delays = others.length === 0 ? undefined : await delaysOf(first, others);
  for (const replica of replicas) await replica.stop();
  before = database?.cpuSeconds() ?? 0;
  await using again = await start(built, args, environment);
  const restart = await together([again], (page) => checks.newestIn(page) >= newest);
  return { firstSync, round, restart, resident, delays };
}

/** Sends events to one process and waits for each on the pages of the others. */
async function delaysOf(to: Measured, others: readonly Measured[]) {
  const delays: number[] = [];
  for (let sent = 1; sent <= EVENTS; sent += 1) {
    await to.post('/hooks/events', TOKEN, {
      events: [{ id: `${sent}`, hook_event_name: 'Stop', session_id: 'a', occurred_at: Date.now() }],
    });
    const began = performance.now();
    const shown = `agent_platform_hook_events_total{event="Stop"} ${sent}\n`;
    await Promise.all(
      others.map(async (other) => {
        while (!(await other.page()).includes(shown)) await pause(LOOK_MS);
        delays.push(performance.now() - began);
      }),
    );
  }
  return { median: quantile(delays, 0.5), longest: Math.max(...delays) };
}
