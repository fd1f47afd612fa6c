import { expect, test } from 'vitest';
import { isOfPlatform, seriesText } from '../../e2e/page.ts';
import { waitFor } from '../../support/wait-for.ts';
import { createPrograms } from '../programs.ts';
import { type Replica, refresh, startAskedPlatform, startReplica } from './replicas.ts';
import { usePostgres } from './server.ts';

const ORGS = 3;
const COLLECTORS = ['tokens', 'tools', 'activity', 'productivity', 'readiness', 'wiki'];
const PREFIX = 'agent_platform_exporter_';
/** Own metrics that are equal on all replicas. */
const SHARED =
  /^agent_platform_(?:exporter_store_info|hook_(?:events_total|session_ends|sessions_waiting|last_event))/;

const server = usePostgres();
const programs = createPrograms();

/** What all replicas must agree on. */
async function agreedOf(exporter: Replica): Promise<readonly string[]> {
  const { samples } = await exporter.page();
  return samples
    .filter(({ name }) => (isOfPlatform(name) && !name.includes('_hook_')) || SHARED.test(name))
    .map(seriesText)
    .sort();
}

async function agree(exporters: readonly Replica[]): Promise<void> {
  await waitFor(async () => {
    const [first, ...others] = await Promise.all(exporters.map(agreedOf));
    for (const other of others) expect(other).toEqual(first);
    expect(first?.length).toBeGreaterThan(100);
  });
}

/** The series about runs, which only the replica that polls has. */
async function runFigures(exporter: Replica): Promise<number> {
  const { samples } = await exporter.page();
  return samples.filter(({ name }) => name.startsWith(`${PREFIX}collector_`)).length;
}

test('one of three replicas polls, all publish the same, and another one takes over from one that was killed, suspended or stopped', async () => {
  const platform = await startAskedPlatform({ orgs: ORGS, users: 5, repos: 2 });
  const database = await server.database();
  const environment = {
    AGENT_PLATFORM_STORAGE_URL: database,
    AGENT_PLATFORM_WEB_ENABLE_LIFECYCLE: 'true',
  };
  const start = async (name: string) => {
    const options = { start: '2026-11-01', rate: 200, name, environment };
    return { name, ...(await startReplica(programs, platform, options)) };
  };
  type Named = Awaited<ReturnType<typeof start>>;

  /** Waits until exactly one of these leads and has run every collector, and resolves with it. */
  async function leaderOf(exporters: readonly Named[]): Promise<Named> {
    return waitFor(async () => {
      const leading: Named[] = [];
      for (const each of exporters) if (await each.leads()) leading.push(each);
      expect(leading).toHaveLength(1);
      const [leader] = leading;
      if (leader === undefined) throw new Error('nobody leads');
      const page = await leader.page();
      for (const { name } of platform.orgs) {
        for (const collector of COLLECTORS)
          expect(page.value(`${PREFIX}collector_success`, { org: name, collector })).toBe(1);
      }
      for (const each of exporters) if (each !== leader) expect(await runFigures(each)).toBe(0);
      return leader;
    });
  }
  /** Who has asked the platform since a number of requests. */
  const askersSince = (sent: number) => [...new Set(platform.asked.slice(sent).map(({ by }) => by))];
  const isWiki = ({ url }: { readonly url: string }) => url.includes('wiki');

  const all = await Promise.all([start('one'), start('two'), start('three')]);
  const first = await leaderOf(all);
  for (const exporter of all) await waitFor(async () => expect(await exporter.isReady()).toBe(true));
  for (const exporter of all) {
    const status = (await (await fetch(`${exporter.url}/status`)).json()) as { readonly role?: string };
    expect(status.role).toBe(exporter === first ? 'leader' : 'follower');
  }
  await agree(all);
  expect(askersSince(0)).toEqual([first.name]);
  const asked = platform.asked.map(({ key, url }) => `${key} ${url}`);
  expect(asked.filter((request, index) => asked.indexOf(request) !== index)).toEqual([]);

  // Events are counted once, on whichever replica they arrive.
  const events = Array.from({ length: 30 }, (_, index) => ({
    ...{ id: `event-${index}`, event: 'Stop', session: `session-${index % 5}` },
  }));
  for (const exporter of all) expect(await exporter.send(events)).toBe(202);
  for (const exporter of all) {
    await waitFor(async () => {
      const page = await exporter.page();
      expect(page.value('agent_platform_hook_events_total', { event: 'Stop' })).toBe(30);
    });
  }

  // A refresh that a follower was asked for is done by the leader.
  const others = all.filter((exporter) => exporter !== first);
  let sent = platform.asked.length;
  const [other] = others;
  if (other === undefined) throw new Error('nobody follows');
  await refresh(other, first);
  expect(platform.asked.slice(sent).some(isWiki)).toBe(true);
  expect(askersSince(sent)).toEqual([first.name]);
  await leaderOf(all);

  // One that is killed is replaced, and each collector is run once more.
  sent = platform.asked.length;
  first.program.send('SIGKILL');
  await first.program.ended;
  const second = await leaderOf(others);
  expect(askersSince(sent)).toEqual([second.name]);
  expect(platform.asked.slice(sent).filter(isWiki)).toHaveLength(ORGS);
  expect(second.program.stderr().match(/msg="This replica polls"/g)).toHaveLength(1);

  // One that is suspended is replaced too, and sends and writes nothing when it goes on.
  const third = others.find((exporter) => exporter !== second) ?? first;
  sent = platform.asked.length;
  second.program.send('SIGSTOP');
  await leaderOf([third]);
  expect(askersSince(sent)).toEqual([third.name]);
  const stored = () =>
    server.query(
      database,
      `SELECT (SELECT sum(revision) FROM agent_platform.dataset)::text AS revisions, holder, generation::int
       FROM agent_platform.leader`,
    );
  const before = await stored();
  sent = platform.asked.length;
  second.program.send('SIGCONT');
  await waitFor(() =>
    expect(second.program.stderr()).toMatch(
      /msg="This replica polls"[\s\S]*(?:polling waits|Another replica polls)/,
    ),
  );
  await waitFor(async () => expect(await runFigures(second)).toBe(0));
  await leaderOf([second, third]);
  expect(await stored()).toEqual(before);
  expect(platform.asked.slice(sent)).toEqual([]);
  await agree([second, third]);

  // One that is stopped gives its place to another one, which need not wait.
  third.program.send('SIGTERM');
  await third.program.ended;
  await leaderOf([second]);
  expect(second.program.stderr()).not.toContain('level=error');
});
