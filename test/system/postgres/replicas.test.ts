import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createSandbox } from '../../../src/sandbox/index.ts';
import { isOfPlatform, readPage, seriesText } from '../../e2e/page.ts';
import { waitFor } from '../../support/wait-for.ts';
import { createPrograms, type Program, written } from '../programs.ts';
import { usePostgres } from './server.ts';

const ORGS = 7;
const COLLECTORS = ['tokens', 'tools', 'activity', 'productivity', 'readiness', 'wiki'];
const PREFIX = 'agent_platform_exporter_';
const TOKEN = 'a-token-of-the-senders';
/** Own metrics that are equal on all replicas. */
const SHARED =
  /^agent_platform_(?:exporter_(?:collector_|day_revisions|records_rejected|store_info)|hook_(?:events_total|session_ends|sessions_waiting|last_event))/;

const server = usePostgres();
const programs = createPrograms();

interface Exporter {
  readonly program: Program;
  readonly url: string;
}

/** A platform that records who asked for what. */
async function startPlatform() {
  const sandbox = createSandbox({ orgs: ORGS, users: 5, repos: 2, now: Date.now });
  const asked: string[] = [];
  const platform = createServer((request, response) => {
    asked.push(`${request.headers.authorization} ${request.url}`);
    sandbox.handler(request, response);
  });
  platform.listen(0, '127.0.0.1');
  await new Promise((resolve) => platform.once('listening', resolve));
  afterAll(() => {
    platform.closeAllConnections();
    platform.close();
  });
  return { asked, orgs: sandbox.orgs, url: `http://127.0.0.1:${(platform.address() as AddressInfo).port}` };
}

async function pageOf({ url }: Exporter) {
  return readPage(await (await fetch(`${url}/metrics`)).text());
}

/** What all replicas must agree on. */
async function agreedOf(exporter: Exporter): Promise<readonly string[]> {
  const { samples } = await pageOf(exporter);
  return samples
    .filter(({ name }) => (isOfPlatform(name) && !name.includes('_hook_')) || SHARED.test(name))
    .map(seriesText)
    .sort();
}

async function sendEvents({ url }: Exporter, events: readonly object[]): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const response = await fetch(`${url}/hooks/events`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ events }),
  });
  await response.text();
  return response.status;
}

test('three replicas ask once, agree on the page, and take over from one that was killed or suspended', async () => {
  const platform = await startPlatform();
  const database = await server.database();
  const file = join(programs.folder(), 'config.yaml');
  const orgs = platform.orgs.map(
    ({ name, keys }, index) =>
      `  - {name: ${name}, base_url: "${platform.url}", api_key_env: KEY_${index}}\n# ${keys.owner}`,
  );
  // Nothing becomes due while the test runs.
  const never = '0 0 29 2 *';
  writeFileSync(
    file,
    `orgs:\n${orgs.join('\n')}\nschedule: {analytics: "${never}", readiness: "${never}", wiki: "${never}"}\nhistory: {start: 2026-11-01}\napi: {requests_per_second: 200}\n`,
  );
  const environment = {
    AGENT_PLATFORM_STORAGE_URL: database,
    AGENT_PLATFORM_HOOKS_TOKEN: TOKEN,
    ...Object.fromEntries(platform.orgs.map(({ keys }, index) => [`KEY_${index}`, keys.owner])),
  };
  async function start(): Promise<Exporter> {
    const program = programs.exporter(
      ['serve', `--config.file=${file}`, '--web.listen-address=127.0.0.1:0'],
      environment,
    );
    const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
    return { program, url: `http://127.0.0.1:${port}` };
  }
  const holders = async () => {
    const rows = await server.query(
      database,
      'SELECT holder, count(*)::int AS held FROM agent_platform.lease WHERE holder IS NOT NULL AND expires_at > now() GROUP BY holder',
    );
    return rows.map((row) => Number(row['held'])).sort();
  };
  async function agree(exporters: readonly Exporter[]): Promise<readonly string[]> {
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
      const page = await pageOf(exporter);
      for (const { name } of platform.orgs) {
        for (const collector of COLLECTORS)
          expect(page.value(`${PREFIX}collector_success`, { org: name, collector })).toBe(1);
      }
    });
  }
  const before = await agree(all);
  expect(before.some((line) => line.includes('collector_last_success'))).toBe(true);
  const repeated = platform.asked.filter((request, index) => platform.asked.indexOf(request) !== index);
  expect(repeated).toEqual([]);

  // Events are counted once, on whichever replica they arrive.
  const events = Array.from({ length: 30 }, (_, index) => ({
    ...{ id: `event-${index}`, hook_event_name: 'Notification', session_id: `session-${index % 5}` },
    occurred_at: Date.now(),
  }));
  for (const exporter of all) expect(await sendEvents(exporter, events)).toBe(202);
  for (const exporter of all) {
    await waitFor(async () => {
      const page = await pageOf(exporter);
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
