import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFileSource } from '../../src/copy/sqlite.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { readPage } from '../e2e/page.ts';
import { createRandom } from '../fuzz/random.ts';
import { waitFor } from '../support/wait-for.ts';
import { usePostgres } from '../system/postgres/server.ts';
import { createPrograms, type Program, written } from '../system/programs.ts';
import { seedsOr } from './seeds.ts';

/** Larger by the environment: STORM_ORGS=60 STORM_EVENTS=30000. */
const ORGS = Number(process.env['STORM_ORGS'] ?? 9);
const EVENTS = Number(process.env['STORM_EVENTS'] ?? 400);
const SENDERS = 10;
const TOKEN = 'a-token-of-the-senders';
/** The platform's clock: all processes ask it about the same days. */
const NOW = Date.now();

const server = usePostgres();
const programs = createPrograms();

interface Exporter {
  readonly program: Program;
  readonly url: string;
}

/** A platform that counts the requests of each organization. */
async function startPlatform() {
  const sandbox = createSandbox({ orgs: ORGS, users: 3, repos: 1, now: () => NOW });
  const asked = new Map<string, number>();
  const platform = createServer((request, response) => {
    const key = String(request.headers.authorization).replace('Bearer ', '');
    asked.set(key, (asked.get(key) ?? 0) + 1);
    sandbox.handler(request, response);
  });
  platform.listen(0, '127.0.0.1');
  await new Promise((resolve) => platform.once('listening', resolve));
  onTestFinished(() => {
    platform.closeAllConnections();
    platform.close();
  });
  const url = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
  return {
    asked,
    total: () => [...asked.values()].reduce((sum, one) => sum + one, 0),
    orgs: sandbox.orgs,
    url,
  };
}

async function start(
  platform: Awaited<ReturnType<typeof startPlatform>>,
  rate: number,
  store: Readonly<Record<string, string>>,
): Promise<Exporter> {
  const file = join(programs.folder(), 'config.yaml');
  const orgs = platform.orgs.map(
    ({ name }, index) => `  - {name: ${name}, base_url: "${platform.url}", api_key_env: KEY_${index}}`,
  );
  const never = '0 0 29 2 *';
  writeFileSync(
    file,
    `orgs:\n${orgs.join('\n')}\nschedule: {analytics: "${never}", readiness: "${never}", wiki: "${never}"}
history: {start: 2026-06-01}\napi: {requests_per_second: ${rate}}\n`,
  );
  const program = programs.exporter(['serve', `--config.file=${file}`, '--web.listen-address=127.0.0.1:0'], {
    AGENT_PLATFORM_HOOKS_TOKEN: TOKEN,
    ...Object.fromEntries(platform.orgs.map(({ keys }, index) => [`KEY_${index}`, keys.owner])),
    ...store,
  });
  const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
  return { program, url: `http://127.0.0.1:${port}` };
}

async function pageOf({ url }: Exporter) {
  return readPage(await (await fetch(`${url}/metrics`)).text());
}

/** Waits until everything was polled. */
async function polled(exporter: Exporter, orgs: readonly { readonly name: string }[]): Promise<void> {
  await waitFor(async () => {
    const page = await pageOf(exporter);
    for (const { name } of orgs) {
      for (const collector of ['tokens', 'tools', 'activity', 'productivity', 'readiness', 'wiki'])
        expect(page.value('agent_platform_exporter_collector_success', { org: name, collector })).toBe(1);
      // The newest day of few people may be empty, and is asked for again.
      for (const dataset of ['tokens', 'tools', 'activity', 'productivity'])
        expect(page.value('agent_platform_history_uncovered', { org: name, dataset })).toBeLessThan(2);
    }
  });
}

/** The days and reports that one undisturbed process with a file has stored. */
async function storedBy(file: string): Promise<readonly string[]> {
  const source = openFileSource(file);
  const found: string[] = [];
  for (const table of ['day', 'document'] as const)
    for await (const rows of source.rows(table)) for (const row of rows) found.push(JSON.stringify(row));
  await source.close();
  return found.sort();
}

/** Sends its events to any replica until one has accepted them, as the hook command does. */
async function sendAll(ids: readonly string[], living: () => readonly Exporter[], random: () => number) {
  for (const id of ids) {
    await waitFor(async () => {
      const all = living();
      const to = all[Math.floor(random() * all.length)];
      const event = { id, hook_event_name: 'Stop', session_id: id, occurred_at: Date.now() };
      const response = await fetch(`${to?.url}/hooks/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ events: [event] }),
        signal: AbortSignal.timeout(5_000),
      });
      await response.text();
      expect(response.status).toBe(202);
    });
  }
}

test.each(seedsOr([1]))(
  'replicas that are killed, suspended and cut off store what one process does, seed %i',
  async (seed) => {
    const random = createRandom(seed);
    const calm = await startPlatform();
    const file = join(programs.folder(), 'history.db');
    const alone = await start(calm, 500, { AGENT_PLATFORM_STORAGE_PATH: file });
    await polled(alone, calm.orgs);
    alone.program.send('SIGTERM');
    await alone.program.ended;
    const truth = await storedBy(file);

    const platform = await startPlatform();
    const url = await server.database();
    // Slow enough for the polls to be under way whenever something happens.
    const join3 = () => start(platform, 5, { AGENT_PLATFORM_STORAGE_URL: url });
    const living: Exporter[] = await Promise.all([join3(), join3(), join3()]);
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
    const share = calm.total() / 6;
    const until = (part: number) =>
      waitFor(() => expect(platform.total()).toBeGreaterThan(share * (part + random())));
    const take = () => living.splice(Math.floor(random() * living.length), 1)[0];

    await until(0);
    const killed = take();
    killed?.program.send('SIGKILL');
    living.push(await join3());

    await until(1);
    const suspended = take();
    suspended?.program.send('SIGSTOP');
    await until(2);
    server.stop('immediate');
    server.start();
    const orgsOf = async (condition: string) =>
      (await server.query(url, `SELECT org FROM agent_platform.lease WHERE ${condition}`)).length;
    await waitFor(async () => expect(await orgsOf('holder IS NOT NULL AND expires_at > now()')).toBe(ORGS));
    suspended?.program.send('SIGCONT');
    if (suspended !== undefined) living.push(suspended);

    await until(3);
    await server.query(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'agent-platform-exporter'`,
    );

    for (const exporter of living) await polled(exporter, platform.orgs);
    await sending;
    for (const exporter of living) {
      await waitFor(async () =>
        expect((await pageOf(exporter)).value('agent_platform_hook_events_total', { event: 'Stop' })).toBe(
          EVENTS,
        ),
      );
    }
    const back = join(programs.folder(), 'back.db');
    for (const { program } of living) program.send('SIGTERM');
    await Promise.all(living.map(({ program }) => program.ended));
    // A killed process counts for another while.
    await server.query(url, 'DELETE FROM agent_platform.replica');
    const copy = programs.exporter(['history', 'copy', '--to=file', `--storage.path=${back}`], {
      AGENT_PLATFORM_STORAGE_URL: url,
    });
    expect((await copy.ended).code, copy.stderr()).toBe(0);
    expect(await storedBy(back)).toEqual(truth);

    // What was asked again is bounded: one run for each takeover, and one for each cut of the database.
    const leases = await server.query(url, 'SELECT org, generation::int FROM agent_platform.lease');
    for (const { name, keys } of platform.orgs) {
      const takeovers = Number(leases.find((row) => row['org'] === name)?.['generation']);
      const once = calm.asked.get(keys.owner) ?? 0;
      expect(platform.asked.get(keys.owner), name).toBeLessThanOrEqual(once * (takeovers + 2));
    }
  },
);
