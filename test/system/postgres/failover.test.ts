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

async function polled(replica: Replica, orgs: readonly { readonly name: string }[]): Promise<void> {
  await waitFor(async () => {
    const page = await replica.page();
    for (const { name } of orgs)
      for (const collector of COLLECTORS)
        expect(page.value(`${PREFIX}collector_success`, { org: name, collector })).toBe(1);
  });
}

/** What a change of the server must not change. */
async function figuresOf(replica: Replica): Promise<readonly string[]> {
  const { samples } = await replica.page();
  return samples
    .filter(
      ({ name }) =>
        (isOfPlatform(name) && !name.includes('_hook_')) ||
        /^agent_platform_exporter_(?:collector_|day_rev|records_rej|store_)/.test(name),
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
  await polled(replica, platform.orgs);
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
  const failures = () => replica.program.stderr().match(/Renewing the leases failed/g) ?? [];
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
  // Ten minutes later, by the database's clock.
  await server.query(url, `UPDATE agent_platform.lease SET expires_at = expires_at - interval '10 minutes'`);
  await server.query(url, `UPDATE agent_platform.replica SET seen_at = seen_at - interval '10 minutes'`);
  const other = await start();
  await polled(other, platform.orgs);
  const stored = () =>
    server.query(
      url,
      'SELECT org, dataset, day::text, data::text, version::text FROM agent_platform.day ORDER BY 1, 2, 3',
    );
  const before = await stored();
  const figures = (await other.page()).platform('acme');
  expect(before.length).toBeGreaterThan(0);

  // Until its answer was refused, it cannot find out that it has lost the organization.
  const release = await server.hold(
    url,
    'SELECT FROM agent_platform.replica ORDER BY seen_at LIMIT 1 FOR UPDATE',
  );
  suspended.program.send('SIGCONT');
  late.resolve();
  await waitFor(() =>
    // After more than 25 seconds it finds out by its own clock.
    expect(suspended.program.stderr()).toMatch(
      /could not be stored" org=\S+ collector=tokens|msg="Leases not renewed in time/,
    ),
  );
  await release();
  await waitFor(async () => expect((await suspended.page()).platform('acme')).toEqual(figures));
  expect(await stored()).toEqual(before);
  expect((await other.page()).platform('acme')).toEqual(figures);
});

test('a failover to a standby costs no figure and no event, and counts and asks nothing twice', async () => {
  const platform = await startAskedPlatform({ orgs: 3, users: 3, repos: 1 });
  const { url, network, environment } = await proxied();
  const start = () => startReplica(programs, platform, { start: START, rate: 200, environment });
  const replicas = await Promise.all([start(), start()]);
  const [one, two] = replicas;
  for (const replica of replicas) await polled(replica, platform.orgs);
  const events = Array.from({ length: 20 }, (_, index) => ({ id: `event-${index}`, event: 'Stop' }));
  expect(await one.send(events)).toBe(202);
  const counted = async (replica: Replica) =>
    (await replica.page()).value('agent_platform_hook_events_total', { event: 'Stop' });
  for (const replica of replicas) await waitFor(async () => expect(await counted(replica)).toBe(20));
  const standby = await server.standby();
  const [now] = await server.query(url, 'SELECT pg_current_wal_lsn()::text AS lsn');
  await waitFor(async () => {
    const text = 'SELECT replay_lsn >= $1::pg_lsn AS follows FROM pg_stat_replication';
    expect(await server.query(url, text, [now?.['lsn']])).toEqual([{ follows: true }]);
  });
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
  expect(platform.asked.slice(asked)).toEqual([]);
  for (const replica of replicas) expectOneLineEach(replica);
});
