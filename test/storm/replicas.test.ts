import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DAYS } from '../../src/store/layouts.ts';
import { readFile } from '../../src/store/reader.ts';
import { DAY, HOUR } from '../e2e/harness.ts';
import { daysWithoutRow } from '../e2e/settled.ts';
import { createRandom } from '../fuzz/random.ts';
import { TEST_LIMIT_MS } from '../support/limits.ts';
import { waitFor } from '../support/wait-for.ts';
import { startProxy } from '../system/postgres/proxy.ts';
import {
  type AskedPlatform,
  type Replica,
  startAskedPlatform,
  startReplica,
} from '../system/postgres/replicas.ts';
import { usePostgres } from '../system/postgres/server.ts';
import { createPrograms } from '../system/programs.ts';
import { seedsOr } from './seeds.ts';

/** Larger by the environment: STORM_ORGS=60 STORM_EVENTS=30000. */
const ORGS = Number(process.env['STORM_ORGS'] ?? 9);
const EVENTS = Number(process.env['STORM_EVENTS'] ?? 400);
const SENDERS = 50;
/** Events that are sent well within the usual limit of a test, on a machine that is busy with other work. */
const EVENTS_IN_TIME = 10_000;
/** After this time, a sender tries another replica. */
const SEND_MS = 5_000;
const START = '2026-06-01';
/** The platform's clock, which stands at noon: all processes ask it about the same days. */
const NOW = Math.floor(Date.now() / DAY) * DAY + 12 * HOUR;
/** The clocks of the processes go on from there, so that no day ends between two of them. */
const FROM_NOON = `const now = Date.now; Date.now = () => now() + ${NOW - Date.now()};`;
const CLOCK = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FROM_NOON)}` };
/** Each is answered rightly when it is asked again. */
const FAULTS = ['500=0.03', 'close=0.02', 'slow=0.1:200'];

const server = usePostgres();
const programs = createPrograms();

/** Waits until everything was polled by one of these; `empty` has the days without a row, of which the newest count as uncovered. */
async function polled(
  exporters: readonly Replica[],
  orgs: readonly { readonly name: string }[],
  empty: ReadonlyMap<string, number> = new Map(),
): Promise<ReadonlyMap<string, number>> {
  return waitFor(async () => {
    const pages = await Promise.all(exporters.map((exporter) => exporter.page()));
    // A process with a file has no figure about it.
    const page = pages.find((one) => one.value('agent_platform_exporter_leader') !== 0);
    if (page === undefined) throw new Error('nobody polls');
    const uncovered = new Map<string, number>();
    for (const { name } of orgs) {
      // With the reasons, of which the kept part of a log may have none.
      const failing = page
        .find('agent_platform_exporter_collector_failing', { org: name })
        .filter(({ value }) => Number(value) === 1)
        .map(({ labels }) => [...labels.values()].join(' '));
      expect(failing).toEqual([]);
      for (const collector of ['tokens', 'tools', 'activity', 'productivity', 'readiness', 'wiki'])
        expect(page.value('agent_platform_exporter_collector_success', { org: name, collector })).toBe(1);
      for (const dataset of ['tokens', 'tools', 'activity', 'productivity']) {
        const days = page.value('agent_platform_history_uncovered', { org: name, dataset });
        const expected = daysWithoutRow(page, { org: name, dataset }, NOW);
        expect(days).toBeLessThanOrEqual(empty.get(`${name} ${dataset}`) ?? expected);
        uncovered.set(`${name} ${dataset}`, days ?? 0);
      }
    }
    return uncovered;
  });
}

/** The days and reports that one undisturbed process with a file has stored. */
async function storedBy(file: string): Promise<readonly string[]> {
  const rows = await readFile(file, DAYS, async (query) => [
    ...(await query('SELECT org, dataset, day, data FROM S.day')),
    ...(await query('SELECT org, dataset, id, data FROM S.document')),
  ]);
  return rows.map((row) => JSON.stringify(row)).sort();
}

/** Sends its events to any replica until one has accepted them, as the hook command does. */
async function sendAll(ids: readonly string[], living: () => readonly Replica[], random: () => number) {
  for (const id of ids) {
    await waitFor(async () => {
      const all = living();
      const to = all[Math.floor(random() * all.length)];
      expect(await to?.send([{ id, event: 'Stop' }], SEND_MS)).toBe(202);
    });
  }
}

/** The answered requests of each organization. */
function answeredOf({ asked, orgs }: AskedPlatform): readonly number[] {
  return orgs.map(
    ({ keys }) => asked.filter(({ key, isAnswered }) => isAnswered && key === keys.owner).length,
  );
}

test.each(seedsOr([1]))(
  'replicas that are killed, suspended and cut off store what one process does, seed %i',
  async (seed) => {
    const random = createRandom(seed);
    const world = { orgs: ORGS, users: 3, repos: 1, now: () => NOW };
    const calm = await startAskedPlatform(world);
    const file = join(programs.folder(), 'history.db');
    const environment = { ...CLOCK, AGENT_PLATFORM_STORAGE_PATH: file };
    const alone = await startReplica(programs, calm, { start: START, rate: 500, environment });
    const empty = await polled([alone], calm.orgs);
    alone.program.send('SIGTERM');
    await alone.program.ended;
    const truth = await storedBy(file);

    const platform = await startAskedPlatform({ ...world, faults: FAULTS });
    const url = await server.database();
    const network = await startProxy(server.port);
    const proxied = new URL(url);
    proxied.port = String(network.port);
    const joining = {
      start: START,
      // Slow enough for the polls to be under way whenever something happens.
      rate: 5,
      // A collector that failed would be run again in years.
      environment: {
        ...CLOCK,
        AGENT_PLATFORM_STORAGE_URL: proxied.href,
        AGENT_PLATFORM_API_RETRIES: '12',
      },
    };
    const join3 = () => startReplica(programs, platform, joining);
    const living: Replica[] = await Promise.all([join3(), join3(), join3()]);
    const ids = Array.from({ length: EVENTS }, (_, index) => `event-${index}`);
    const sending = Promise.all(
      Array.from({ length: SENDERS }, (_, sender) =>
        sendAll(
          ids.filter((_id, index) => index % SENDERS === sender),
          () => living,
          random,
        ),
      ),
    );
    sending.catch(() => undefined);
    /** Resolves once a share of the requests was sent. */
    const share = calm.asked.length / 6;
    const until = (part: number) =>
      waitFor(() => expect(platform.asked.length).toBeGreaterThan(share * (part + random())));
    const take = () => living.splice(Math.floor(random() * living.length), 1)[0];

    await until(0);
    const killed = take();
    killed?.program.send('SIGKILL');
    living.push(await join3());

    // Every statement takes longer from here on: a transaction about half a second.
    network.delay(20);
    await until(1);
    const suspended = take();
    suspended?.program.send('SIGSTOP');
    await until(2);
    server.stop('immediate');
    server.start();
    const leaders = async () => {
      const leads = await Promise.all(living.map((exporter) => exporter.leads()));
      return leads.filter(Boolean).length;
    };
    await waitFor(async () => expect(await leaders()).toBe(1));
    suspended?.program.send('SIGCONT');
    if (suspended !== undefined) living.push(suspended);

    await until(3);
    network.cut();
    network.delay(0);

    await polled(living, platform.orgs, empty);
    await sending;
    for (const exporter of living) {
      await waitFor(async () =>
        expect((await exporter.page()).value('agent_platform_hook_events_total', { event: 'Stop' })).toBe(
          EVENTS,
        ),
      );
    }
    const back = join(programs.folder(), 'back.db');
    for (const { program } of living) program.send('SIGTERM');
    await Promise.all(living.map(({ program }) => program.ended));
    const copy = programs.exporter(['history', 'copy', '--to=file', `--storage.path=${back}`], {
      AGENT_PLATFORM_STORAGE_URL: url,
    });
    expect((await copy.ended).code, copy.stderr()).toBe(0);
    expect(await storedBy(back)).toEqual(truth);

    // What was asked again is bounded: one run for each takeover, and one for each cut of the database.
    const [leader] = await server.query(url, 'SELECT generation::int FROM agent_platform.leader');
    const takeovers = Number(leader?.['generation']);
    const once = answeredOf(calm);
    for (const [index, answered] of answeredOf(platform).entries()) {
      const name = platform.orgs[index]?.name;
      expect(answered, name).toBeLessThanOrEqual((once[index] ?? 0) * (takeovers + 2));
    }
  },
  TEST_LIMIT_MS * Math.max(1, EVENTS / EVENTS_IN_TIME),
);
