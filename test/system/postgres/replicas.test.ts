import { expect, test } from 'vitest';
import { isOfPlatform, seriesText } from '../../e2e/page.ts';
import { waitFor } from '../../support/wait-for.ts';
import { createPrograms } from '../programs.ts';
import { type Replica, startAskedPlatform, startReplica } from './replicas.ts';
import { usePostgres } from './server.ts';

const ORGS = 7;
const COLLECTORS = ['tokens', 'tools', 'activity', 'productivity', 'readiness', 'wiki'];
const PREFIX = 'agent_platform_exporter_';
/** Own metrics that are equal on all replicas. */
const SHARED =
  /^agent_platform_(?:exporter_(?:collector_|day_revisions|records_rejected|store_info)|hook_(?:events_total|session_ends|sessions_waiting|last_event))/;

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

test('three replicas ask once, agree on the page, and take over from one that was killed or suspended', async () => {
  const platform = await startAskedPlatform({ orgs: ORGS, users: 5, repos: 2 });
  const database = await server.database();
  const environment = { AGENT_PLATFORM_STORAGE_URL: database };
  const start = () => startReplica(programs, platform, { start: '2026-11-01', rate: 200, environment });
  const holders = async () => {
    const rows = await server.query(
      database,
      'SELECT holder, count(*)::int AS held FROM agent_platform.lease WHERE holder IS NOT NULL AND expires_at > now() GROUP BY holder',
    );
    return rows.map((row) => Number(row['held'])).sort();
  };
  async function agree(exporters: readonly Replica[]): Promise<readonly string[]> {
    return waitFor(async () => {
      const [first, ...others] = await Promise.all(exporters.map(agreedOf));
      for (const other of others) expect(other).toEqual(first);
      return first ?? [];
    });
  }

  const [one, two, three] = await Promise.all([start(), start(), start()]);
  const all = [one, two, three];
  await waitFor(async () => expect(await holders()).toEqual([2, 2, 3]));
  for (const exporter of all) {
    await waitFor(async () => expect((await fetch(`${exporter.url}/-/ready`)).status).toBe(200));
    await waitFor(async () => {
      const page = await exporter.page();
      for (const { name } of platform.orgs) {
        for (const collector of COLLECTORS)
          expect(page.value(`${PREFIX}collector_success`, { org: name, collector })).toBe(1);
      }
    });
  }
  const before = await agree(all);
  expect(before.some((line) => line.includes('collector_last_success'))).toBe(true);
  const asked = platform.asked.map(({ key, url }) => `${key} ${url}`);
  const repeated = asked.filter((request, index) => asked.indexOf(request) !== index);
  expect(repeated).toEqual([]);

  // Events are counted once, on whichever replica they arrive.
  const events = Array.from({ length: 30 }, (_, index) => ({
    ...{ id: `event-${index}`, event: 'Notification', session: `session-${index % 5}` },
  }));
  for (const exporter of all) expect(await exporter.send(events)).toBe(202);
  for (const exporter of all) {
    await waitFor(async () => {
      const page = await exporter.page();
      expect(page.value('agent_platform_hook_events_total', { event: 'Notification' })).toBe(30);
      expect(page.value('agent_platform_hook_sessions_waiting')).toBe(5);
    });
  }

  // Neither a restart nor a takeover asks for what was asked for.
  const sent = platform.asked.length;
  three.program.send('SIGTERM');
  await three.program.ended;
  one.program.send('SIGKILL');
  await waitFor(async () => expect(await holders()).toEqual([ORGS]));
  two.program.send('SIGSTOP');
  const four = await start();
  await waitFor(async () => expect(await holders()).toEqual([ORGS]));
  await waitFor(async () => expect((await fetch(`${four.url}/-/ready`)).status).toBe(200));
  two.program.send('SIGCONT');
  await waitFor(async () => expect(await holders()).toEqual([3, 4]));
  await agree([two, four]);
  expect(platform.asked.slice(sent)).toEqual([]);
});
