import { describe, expect, test } from 'vitest';
import { readPage } from '../../e2e/page.ts';
import { waitFor } from '../../support/wait-for.ts';
import { KEY, startPlatform } from '../platform.ts';
import { createPrograms, written } from '../programs.ts';
import { usePostgres } from './server.ts';

const TOKEN = 'a-token-of-the-senders';
const server = usePostgres();
const programs = createPrograms();

async function startExporter(platform: string, database: string) {
  const program = programs.exporter(['serve', '--web.listen-address=127.0.0.1:0'], {
    AGENT_PLATFORM_API_BASE_URL: platform,
    AGENT_PLATFORM_API_KEY: KEY,
    AGENT_PLATFORM_API_REQUESTS_PER_SECOND: '200',
    AGENT_PLATFORM_HISTORY_START: '2026-11-01',
    AGENT_PLATFORM_HOOKS_TOKEN: TOKEN,
    AGENT_PLATFORM_STORAGE_URL: database,
    AGENT_PLATFORM_LOG_LEVEL: 'debug',
  });
  const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
  const url = `http://127.0.0.1:${port}`;
  const page = async () => readPage(await (await fetch(`${url}/metrics`)).text());
  const isUp = async () => (await page()).value('agent_platform_exporter_store_up');
  async function send(id: string): Promise<number> {
    const event = { id, hook_event_name: 'Stop', session_id: 'session', occurred_at: Date.now() };
    const response = await fetch(`${url}/hooks/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ events: [event] }),
    });
    await response.text();
    return response.status;
  }
  return { program, page, isUp, send };
}

/** What a real server does when its disk is full, without filling one. */
const FULL = `
  CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
  CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON agent_platform.leader EXECUTE FUNCTION full_disk();
  CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON agent_platform.dataset EXECUTE FUNCTION full_disk();
  CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON agent_platform.sweep EXECUTE FUNCTION full_disk();
  CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON agent_platform.request_count EXECUTE FUNCTION full_disk();
  CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON agent_platform.hook_seen EXECUTE FUNCTION full_disk();`;

/** Begins a trouble and resolves with what ends it. */
type Trouble = (database: string) => Promise<() => Promise<unknown>>;

const readOnly: Trouble = async (database) => {
  await server.query(database, 'ALTER SYSTEM SET default_transaction_read_only = on');
  await server.query(database, 'SELECT pg_reload_conf()');
  return async () => {
    await server.query(database, 'ALTER SYSTEM RESET default_transaction_read_only');
    await server.query(database, 'SELECT pg_reload_conf()');
  };
};

const full: Trouble = async (database) => {
  await server.query(database, FULL);
  return () => server.query(database, 'DROP FUNCTION full_disk CASCADE');
};

/** Whoever writes waits for a lock, longer than the limit. */
const locked: Trouble = (database) =>
  server.hold(
    database,
    `LOCK TABLE agent_platform.leader, agent_platform.dataset, agent_platform.sweep, agent_platform.request_count, agent_platform.hook_seen
     IN EXCLUSIVE MODE`,
  );

describe.each([
  { reason: 'read-only', begin: readOnly, failed: 3 },
  { reason: 'full', begin: full, failed: 3 },
  // Each failure takes several seconds.
  { reason: 'slow', begin: locked, failed: 1 },
])('a database that is $reason', ({ reason, begin, failed }) => {
  test('costs no figure and no event, is reported once, and is used again as soon as it can be', async () => {
    const platform = await startPlatform(programs);
    const database = await server.database();
    const exporter = await startExporter(platform.url, database);
    await waitFor(async () => expect(await exporter.send('one')).toBe(202));
    await waitFor(async () =>
      expect((await exporter.page()).value('agent_platform_daily_credits')).toBeDefined(),
    );
    const before = (await exporter.page()).value('agent_platform_daily_credits');
    // A run that still writes to a table without trouble would look like a recovery.
    await waitFor(async () =>
      expect((await exporter.page()).find('agent_platform_exporter_collector_success')).toHaveLength(6),
    );

    const end = await begin(database);
    await waitFor(async () => expect(await exporter.isUp()).toBe(0));
    expect(await exporter.send('two')).toBe(503);
    expect((await exporter.page()).value('agent_platform_daily_credits')).toBe(before);
    // Reading still works every second in between, and must not pass for recovery.
    const failures = () => exporter.program.stderr().match(/Beat failed/g) ?? [];
    await waitFor(() => expect(failures().length).toBeGreaterThanOrEqual(failed));
    expect(await exporter.isUp()).toBe(0);

    await end();
    await waitFor(async () => expect(await exporter.isUp()).toBe(1));
    await waitFor(async () => expect(await exporter.send('two')).toBe(202));
    const events = async () =>
      (await exporter.page()).value('agent_platform_hook_events_total', { event: 'Stop' });
    await waitFor(async () => expect(await events()).toBe(2));
    const lines = exporter.program.stderr();
    expect(lines.match(/msg="Database cannot be used.*/g)).toEqual([
      expect.stringContaining(`reason=${reason}`),
    ]);
    expect(lines.match(/msg="Database can be used again"/g)).toHaveLength(1);
  });
});
