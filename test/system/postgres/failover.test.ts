import { expect, test } from 'vitest';
import { isOfPlatform, seriesText } from '../../e2e/page.ts';
import { waitFor } from '../../support/wait-for.ts';
import { createPrograms } from '../programs.ts';
import { startProxy } from './proxy.ts';
import { type Replica, startAskedPlatform, startReplica } from './replicas.ts';
import { usePostgres } from './server.ts';

const PREFIX = 'agent_platform_exporter_';
const COLLECTORS = ['tokens', 'tools', 'activity', 'productivity', 'readiness', 'wiki'];
const START = '2026-11-01';
const LATE_DAYS = 3;

const server = usePostgres();
const programs = createPrograms();

/** The URL of a database through a proxy. */
async function proxied() {
  const url = await server.database();
  const network = await startProxy(server.port);
  const through = new URL(url);
  through.port = String(network.port);
  return { url, network, environment: { AGENT_PLATFORM_STORAGE_URL: through.href } };
}

/** Waits until one of the replicas has run every collector and shows every day, and resolves with it. */
async function polled(
  replicas: readonly Replica[],
  orgs: readonly { readonly name: string }[],
): Promise<Replica> {
  return waitFor(async () => {
    const leaders: Replica[] = [];
    for (const replica of replicas) if (await replica.leads()) leaders.push(replica);
    const [leader] = leaders;
    expect(leaders).toHaveLength(1);
    if (leader === undefined) throw new Error('nobody leads');
    const page = await leader.page();
    for (const { name } of orgs)
      for (const collector of COLLECTORS)
        expect(page.value(`${PREFIX}collector_success`, { org: name, collector })).toBe(1);
    // The figures are published after the run.
    for (const { name: org } of orgs) {
      const uncovered = Object.values(page.by('dataset', 'agent_platform_history_uncovered', { org }));
      expect(uncovered).toHaveLength(4);
      // The newest days of an idle organization may get a row later.
      expect(Math.max(...uncovered)).toBeLessThanOrEqual(LATE_DAYS);
      expect(page.find('agent_platform_readiness_ratio', { org })).not.toEqual([]);
      expect(page.value('agent_platform_wiki_runs', { org })).toBeDefined();
    }
    return leader;
  });
}

/** What a change of the server must not change. */
async function figuresOf(replica: Replica): Promise<readonly string[]> {
  const { samples } = await replica.page();
  return samples
    .filter(
      ({ name }) =>
        (isOfPlatform(name) && !name.includes('_hook_')) ||
        /^agent_platform_exporter_(?:day_rev|records_rej|store_info)/.test(name),
    )
    .map(seriesText)
    .sort();
}

/** One line when the database goes away, and one when it is back. A busy machine may have more than one such time. */
function expectOneLineEach({ program }: Replica): void {
  const lines = program.stderr().match(/msg="Database can(?:not be used|\b[^"]*again")/g) ?? [];
  expect(lines.length).toBeGreaterThan(0);
  for (const [index, line] of lines.entries())
    expect(line.includes('cannot'), `${index} of ${lines.join()}`).toBe(index % 2 === 0);
}

test('a server that gives no answer delays no scrape, stops polls and events, and is used again once it answers', async () => {
  const platform = await startAskedPlatform({ orgs: 1, users: 3, repos: 1 });
  const { network, environment } = await proxied();
  // Slow, but within the limits: everything works.
  network.delay(20);
  const replica = await startReplica(programs, platform, {
    ...{ start: START, rate: 200 },
    environment: {
      ...environment,
      AGENT_PLATFORM_LOG_LEVEL: 'debug',
      AGENT_PLATFORM_WEB_ENABLE_LIFECYCLE: 'true',
    },
  });
  await polled([replica], platform.orgs);
  await waitFor(async () => expect(await replica.send([{ id: 'one', event: 'Stop' }])).toBe(202));
  const figures = async () => (await replica.page()).platform('acme');
  const before = await figures();
  const asked = platform.asked.length;

  network.hold(true);
  // New connections are accepted, and then nothing comes.
  network.cut();
  const sent = replica.send([{ id: 'two', event: 'Stop' }]);
  // No answer is let through until the end of this block: whatever is answered does not wait for the database.
  await waitFor(async () => expect((await replica.page()).value(`${PREFIX}store_up`)).toBe(0));
  expect(await figures()).toEqual(before);
  expect(await sent).toBe(503);
  expect((await fetch(`${replica.url}/-/refresh`, { method: 'POST' })).status).toBe(202);
  const failures = () => replica.program.stderr().match(/Beat failed/g) ?? [];
  const failed = failures().length;
  await waitFor(() => expect(failures().length).toBeGreaterThan(failed));
  expect(platform.asked.slice(asked)).toEqual([]);

  network.hold(false);
  await waitFor(async () => expect((await replica.page()).value(`${PREFIX}store_up`)).toBe(1));
  await waitFor(async () => expect(await replica.send([{ id: 'two', event: 'Stop' }])).toBe(202));
  await waitFor(async () =>
    expect((await replica.page()).value('agent_platform_hook_events_total', { event: 'Stop' })).toBe(2),
  );
  expectOneLineEach(replica);
  await fetch(`${replica.url}/-/refresh`, { method: 'POST' });
  await waitFor(() => expect(platform.asked.length).toBeGreaterThan(asked));
});

test('what a suspended replica had asked for before others took over is not stored when it goes on', async () => {
  const late = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  let isFirst = true;
  const platform = await startAskedPlatform({ orgs: 1, users: 3, repos: 1 }, (request, response, next) => {
    if (!isFirst || request.url?.includes('/tokens') !== true) return next();
    isFirst = false;
    held.resolve();
    const headers = { authorization: String(request.headers.authorization) };
    const answer = fetch(`http://${request.headers.host}${request.url}`, { headers });
    const text = answer.then((answered) => answered.text());
    void Promise.all([text, late.promise]).then(([body]) => {
      // Other figures than any other answer has.
      const other = body.replaceAll(/"billable_tokens":\s*\d+/g, '"billable_tokens":7');
      response.writeHead(200, { 'content-type': 'application/json' }).end(other);
    });
  });
  const url = await server.database();
  const environment = { AGENT_PLATFORM_STORAGE_URL: url, AGENT_PLATFORM_LOG_LEVEL: 'debug' };
  const start = () => startReplica(programs, platform, { start: START, rate: 200, environment });
  const suspended = await start();
  await held.promise;
  suspended.program.send('SIGSTOP');
  const other = await start();
  await polled([other], platform.orgs);
  const stored = () =>
    server.query(url, 'SELECT org, dataset, day::text, data FROM agent_platform.day ORDER BY 1, 2, 3');
  const before = await stored();
  const figures = (await other.page()).platform('acme');
  expect(before.length).toBeGreaterThan(0);

  suspended.program.send('SIGCONT');
  late.resolve();
  await waitFor(() =>
    expect(suspended.program.stderr()).toMatch(
      /msg="This replica polls"[\s\S]*(?:polling waits|Another replica polls)/,
    ),
  );
  await waitFor(async () => expect((await suspended.page()).platform('acme')).toEqual(figures));
  expect(await stored()).toEqual(before);
  expect((await other.page()).platform('acme')).toEqual(figures);
});

/** Waits until a standby has everything that the server has committed. */
async function follows(url: string): Promise<void> {
  const [now] = await server.query(url, 'SELECT pg_current_wal_lsn()::text AS lsn');
  await waitFor(async () => {
    const text = 'SELECT replay_lsn >= $1::pg_lsn AS follows FROM pg_stat_replication';
    expect(await server.query(url, text, [now?.['lsn']])).toEqual([{ follows: true }]);
  });
}

const counted = async (replica: Replica) =>
  (await replica.page()).value('agent_platform_hook_events_total', { event: 'Stop' });

test('a failover to a standby costs no figure and no event, and counts nothing twice', async () => {
  const platform = await startAskedPlatform({ orgs: 3, users: 3, repos: 1 });
  const { url, network, environment } = await proxied();
  const start = () => startReplica(programs, platform, { start: START, rate: 200, environment });
  const replicas = await Promise.all([start(), start()]);
  const [one, two] = replicas;
  await polled(replicas, platform.orgs);
  const events = Array.from({ length: 20 }, (_, index) => ({ id: `event-${index}`, event: 'Stop' }));
  expect(await one.send(events)).toBe(202);
  for (const replica of replicas) await waitFor(async () => expect(await counted(replica)).toBe(20));
  const ofPlatform = async (replica: Replica) =>
    (await replica.page()).platform().filter((line) => !line.includes('_hook_'));
  await waitFor(async () => expect(await ofPlatform(two)).toEqual(await ofPlatform(one)));
  const standby = await server.standby();
  await follows(url);
  const before = await Promise.all(replicas.map(figuresOf));
  const asked = platform.asked.length;

  server.stop('immediate');
  for (const replica of replicas)
    await waitFor(async () => expect((await replica.page()).value(`${PREFIX}store_up`)).toBe(0));
  expect(await two.send([{ id: 'during', event: 'Stop' }])).toBe(503);
  standby.promote();
  network.leadTo(standby.port);

  for (const replica of replicas)
    await waitFor(async () => expect((await replica.page()).value(`${PREFIX}store_up`)).toBe(1));
  expect(await Promise.all(replicas.map(figuresOf))).toEqual(before);
  // The senders repeat what was not accepted, and what they did not hear of.
  await waitFor(async () => expect(await two.send([...events, { id: 'during', event: 'Stop' }])).toBe(202));
  for (const replica of replicas) await waitFor(async () => expect(await counted(replica)).toBe(21));
  await polled(replicas, platform.orgs);
  // Nothing, or each collector once more if it took longer than a leader may be without a beat.
  const repeated = platform.asked.slice(asked).map(({ key, url: to }) => `${key} ${to}`);
  expect(repeated).toHaveLength(new Set(repeated).size);
  for (const replica of replicas) {
    expectOneLineEach(replica);
    expect(replica.program.stderr()).not.toContain('level=error');
  }
  server.start();
});

test('a failover to a standby without the last commits is said, and the newest days are asked again', async () => {
  let isRevised = false;
  const platform = await startAskedPlatform({ orgs: 1, users: 3, repos: 1 }, (request, response, next) => {
    const isOwn = request.headers['x-revised'] !== undefined;
    if (!isRevised || isOwn || request.url?.includes('/analytics/tokens') !== true) return next();
    const headers = { authorization: String(request.headers.authorization), 'x-revised': 'own' };
    void fetch(`http://${request.headers.host}${request.url}`, { headers })
      .then((answered) => answered.text())
      .then((body) => {
        const other = body.replaceAll(/"billable_tokens":\s*\d+/g, '"billable_tokens":7');
        response.writeHead(200, { 'content-type': 'application/json' }).end(other);
      });
  });
  const { url, network, environment } = await proxied();
  const start = () =>
    startReplica(programs, platform, {
      ...{ start: START, rate: 200 },
      environment: { ...environment, AGENT_PLATFORM_WEB_ENABLE_LIFECYCLE: 'true' },
    });
  const replicas = await Promise.all([start(), start()]);
  const leader = await polled(replicas, platform.orgs);
  const stops = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ id: `event-${from + index}`, event: 'Stop' }));
  expect(await leader.send(stops(0, 20))).toBe(202);
  const lastEvent = async (replica: Replica) =>
    (await replica.page()).value('agent_platform_hook_last_event_timestamp_seconds', { event: 'Stop' });
  await waitFor(async () => expect(await counted(leader)).toBe(20));
  const kept = await lastEvent(leader);
  const standby = await server.standby();
  await follows(url);
  const there = new URL(url);
  there.port = String(standby.port);
  await server.query(there.href, `ALTER SYSTEM SET primary_conninfo = ''`);
  await server.query(there.href, 'SELECT pg_reload_conf()');
  await waitFor(async () => expect(await server.query(url, 'SELECT FROM pg_stat_replication')).toEqual([]));

  // What comes now is lost: acknowledged events, and revised days.
  expect(await leader.send(stops(20, 5))).toBe(202);
  isRevised = true;
  const credits = async (replica: Replica) => (await replica.page()).value('agent_platform_daily_credits');
  const asked = () => platform.asked.filter(({ url: to }) => to.includes('/analytics/tokens')).length;
  await fetch(`${leader.url}/-/refresh`, { method: 'POST' });
  for (const replica of replicas) {
    await waitFor(async () => expect(await counted(replica)).toBe(25));
    await waitFor(async () => expect(await credits(replica)).toBeLessThan(1000));
  }
  const revised = await credits(leader);
  const before = asked();
  server.stop('immediate');
  standby.promote();
  network.leadTo(standby.port);

  await waitFor(() =>
    expect(leader.program.stderr()).toMatch(/level=error msg="The database has lost commits/),
  );
  await waitFor(() => expect(asked()).toBeGreaterThan(before));
  for (const replica of replicas) await waitFor(async () => expect(await credits(replica)).toBe(revised));
  const [one, two] = replicas;
  const ofPlatform = async (replica: Replica) => (await replica.page()).platform('acme');
  await waitFor(async () => expect(await ofPlatform(two)).toEqual(await ofPlatform(one)));
  // Lost events are lost, but no counter falls, and further events count once a replica has seen what is left.
  for (const replica of replicas) await waitFor(async () => expect(await lastEvent(replica)).toBe(kept));
  for (const replica of replicas) expect(await counted(replica)).toBe(25);
  await waitFor(async () => expect(await two.send(stops(25, 1))).toBe(202));
  for (const replica of replicas) await waitFor(async () => expect(await counted(replica)).toBe(26));
  const stored = await server.query(there.href, `SELECT count::int FROM agent_platform.hook_event`);
  expect(stored).toEqual([{ count: 21 }]);
  for (const { program } of replicas)
    expect(program.stderr().match(/level=error/g)?.length ?? 0).toBeLessThanOrEqual(1);
});
