import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPage } from '../../e2e/page.ts';
import { expectCovered } from '../../e2e/settled.ts';
import { waitFor } from '../../support/wait-for.ts';
import { KEY, startPlatform } from '../platform.ts';
import { createPrograms, type Program, written } from '../programs.ts';
import { usePostgres } from './server.ts';

const TOKEN = 'a-token-of-the-senders';
const PREFIX = 'agent_platform_exporter_';

const server = usePostgres();
const programs = createPrograms();

interface Exporter {
  readonly program: Program;
  readonly url: string;
}

async function startExporter(
  platform: string,
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<Exporter> {
  const program = programs.exporter(['serve', '--web.listen-address=127.0.0.1:0', ...args], {
    AGENT_PLATFORM_API_BASE_URL: platform,
    AGENT_PLATFORM_API_KEY: KEY,
    AGENT_PLATFORM_API_REQUESTS_PER_SECOND: '200',
    AGENT_PLATFORM_HISTORY_START: '2026-10-01',
    AGENT_PLATFORM_HOOKS_TOKEN: TOKEN,
    ...environment,
  });
  const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
  return { program, url: `http://127.0.0.1:${port}` };
}

async function pageOf({ url }: Exporter) {
  return readPage(await (await fetch(`${url}/metrics`)).text());
}

async function sendEvents({ url }: Exporter, events: readonly object[]): Promise<number> {
  const response = await fetch(`${url}/hooks/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ events }),
  });
  await response.text();
  return response.status;
}

function eventOf(name: string, id: string = randomUUID()) {
  return { id, hook_event_name: name, session_id: 'session', occurred_at: Date.now() };
}

describe('a database', () => {
  test('that is away at the start is waited for, and one that goes away costs no figure', async () => {
    const platform = await startPlatform(programs);
    const database = await server.database();
    server.stop();
    const exporter = await startExporter(platform.url, { AGENT_PLATFORM_STORAGE_URL: database });
    const unready = await fetch(`${exporter.url}/-/ready`);
    expect(unready.status).toBe(503);
    expect(await unready.text()).toContain('the database of AGENT_PLATFORM_STORAGE_URL (unreachable)');
    expect((await fetch(`${exporter.url}/-/healthy`)).status).toBe(200);
    expect((await pageOf(exporter)).value(`${PREFIX}store_up`)).toBe(0);
    expect(await sendEvents(exporter, [eventOf('Stop')])).toBe(503);

    server.start();
    await waitFor(async () => expect((await fetch(`${exporter.url}/-/ready`)).status).toBe(200));
    await waitFor(async () => expectCovered(await pageOf(exporter), ['tokens'], Date.now()));
    await waitFor(async () => expect(await sendEvents(exporter, [eventOf('Stop', 'one')])).toBe(202));
    const stops = async () =>
      (await pageOf(exporter)).value('agent_platform_hook_events_total', { event: 'Stop' });
    await waitFor(async () => expect(await stops()).toBe(1));
    const before = await pageOf(exporter);
    expect(before.value(`${PREFIX}store_up`)).toBe(1);

    server.stop('immediate');
    await waitFor(async () => expect((await pageOf(exporter)).value(`${PREFIX}store_up`)).toBe(0));
    expect(await sendEvents(exporter, [eventOf('Stop', 'two')])).toBe(503);
    expect((await pageOf(exporter)).value('agent_platform_daily_credits')).toBe(
      before.value('agent_platform_daily_credits'),
    );
    expect((await fetch(`${exporter.url}/-/ready`)).status).toBe(200);

    server.start();
    await waitFor(async () => expect(await sendEvents(exporter, [eventOf('Stop', 'two')])).toBe(202));
    expect(await sendEvents(exporter, [eventOf('Stop', 'one'), eventOf('Stop', 'two')])).toBe(202);
    await waitFor(async () => expect((await pageOf(exporter)).value(`${PREFIX}store_up`)).toBe(1));
    await waitFor(async () => expect(await stops()).toBe(2));
    const warnings = exporter.program.stderr().match(/level=warn msg="Database cannot be used/g) ?? [];
    expect(warnings).toHaveLength(2);
    expect(exporter.program.stderr()).not.toContain('level=error');
  });

  test('that refuses the credentials is an error, until the file of the URL has better ones', async () => {
    const platform = await startPlatform(programs);
    const database = await server.database();
    const file = join(programs.folder(), 'url');
    writeFileSync(file, server.urlFor(database, 'stranger', 'not-to-be-logged'));
    const exporter = await startExporter(platform.url, { AGENT_PLATFORM_STORAGE_URL_FILE: file });
    await waitFor(() =>
      expect(exporter.program.stderr()).toMatch(/level=error msg="Database cannot.*reason=credentials/),
    );
    expect((await fetch(`${exporter.url}/-/ready`)).status).toBe(503);
    writeFileSync(file, database);
    await waitFor(async () => expect((await fetch(`${exporter.url}/-/ready`)).status).toBe(200));
    expect(exporter.program.stderr()).not.toContain('not-to-be-logged');
  });

  test('keeps what was polled over a restart', async () => {
    const platform = await startPlatform(programs);
    const environment = { AGENT_PLATFORM_STORAGE_URL: await server.database() };
    const first = await startExporter(platform.url, environment);
    await waitFor(async () => expectCovered(await pageOf(first), ['tokens'], Date.now()));
    const credits = (await pageOf(first)).value('agent_platform_daily_credits');
    first.program.send('SIGTERM');
    await first.program.ended;
    platform.program.send('SIGKILL');
    const again = await startExporter(platform.url, environment);
    // It waits for what is stored, but listens without it if that takes longer than usual.
    await waitFor(async () =>
      expect((await pageOf(again)).value('agent_platform_daily_credits')).toBe(credits),
    );
  });
});

describe('the configuration', () => {
  test.each([
    [{ AGENT_PLATFORM_STORAGE_URL: 'postgres://a@b/c' }, ['--storage.path=a.db'], 'are both set'],
    [{}, ['--storage.url=postgres://a:secret@b/c'], '--storage.url contains a password'],
    [{ AGENT_PLATFORM_STORAGE_URL: 'mysql://a:secret@b/c' }, [], 'is not a URL of PostgreSQL'],
    [{ AGENT_PLATFORM_STORAGE_URL: 'postgres://a@b/c?schema=a"b' }, [], 'schema must be a name'],
  ])('%j %j is refused', async (environment, args, problem) => {
    const variables = { AGENT_PLATFORM_API_BASE_URL: 'http://127.0.0.1:9', AGENT_PLATFORM_API_KEY: KEY };
    const program = programs.exporter(['check-config', ...args], { ...variables, ...environment });
    expect((await program.ended).code).toBe(2);
    expect(program.stderr()).toContain(problem);
    expect(program.stderr()).not.toContain('secret');
  });
});
