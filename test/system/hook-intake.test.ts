import { writeFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../bench/programs.ts';
import { type Page, readPage } from '../e2e/page.ts';
import { waitFor } from '../support/wait-for.ts';
import { postEvents, SENDERS_TOKEN } from './hook-sender.ts';
import { KEY, startPlatform } from './platform.ts';
import { createPrograms, type Program, written } from './programs.ts';

const EVENTS = 10_000;
const SENDERS = 50;
const NAMES = ['Notification', 'Stop', 'SubagentStop', 'SessionEnd', 'PostToolUse', 'SomethingNew'];

const programs = createPrograms();

async function pageOf(url: string): Promise<Page> {
  return readPage(await (await fetch(`${url}/metrics`)).text());
}

async function startExporter(): Promise<{ url: string; start(): Promise<Program> }> {
  const platform = await startPlatform(programs);
  const port = await freePort();
  const folder = programs.folder();
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, `${SENDERS_TOKEN}\n`);
  const args = [
    'serve',
    `--web.listen-address=127.0.0.1:${port}`,
    `--storage.path=${join(folder, 'history.db')}`,
  ];
  const environment = {
    AGENT_PLATFORM_API_BASE_URL: platform.url,
    AGENT_PLATFORM_API_KEY: KEY,
    AGENT_PLATFORM_HOOKS_TOKEN_FILE: tokenFile,
  };
  return {
    url: `http://127.0.0.1:${port}`,
    async start() {
      const program = programs.exporter(args, environment);
      await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
      return program;
    },
  };
}

test('10 000 events of 50 senders are counted once each, although the exporter is killed twice meanwhile', async () => {
  const exporter = await startExporter();
  let program = await exporter.start();
  const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
  onTestFinished(() => agent.destroy());
  const expected = new Map<string, number>();
  let next = 0;
  let answered = 0;
  let repeated = 0;

  async function send(): Promise<void> {
    while (next < EVENTS) {
      const index = next++;
      const name = NAMES[index % NAMES.length] ?? '';
      expected.set(name, (expected.get(name) ?? 0) + 1);
      const event = {
        ...{ id: `event-${index}`, hook_event_name: name, session_id: `session-${index % 300}` },
        ...{ reason: 'clear', occurred_at: Date.now(), message: 'planted' },
      };
      // As a sender with a spool: repeats until it is accepted.
      await waitFor(async () => {
        if ((await postEvents(exporter.url, agent, event)) === 202) return true;
        repeated += 1;
        return false;
      });
      answered += 1;
    }
  }

  async function kill(): Promise<void> {
    program.send('SIGKILL');
    expect((await program.ended).signal).toBe('SIGKILL');
    program = await exporter.start();
  }

  const sending = Promise.all(Array.from({ length: SENDERS }, send));
  await waitFor(() => expect(answered).toBeGreaterThan(EVENTS / 3));
  await kill();
  await waitFor(() => expect(answered).toBeGreaterThan((2 * EVENTS) / 3));
  await kill();
  await sending;

  expect(repeated).toBeGreaterThan(0);
  const page = await pageOf(exporter.url);
  const counted = page.by('event', 'agent_platform_hook_events_total');
  expect(Object.values(counted).reduce((sum, count) => sum + count, 0)).toBe(EVENTS);
  const { SomethingNew: other, ...known } = Object.fromEntries(expected);
  expect(counted).toMatchObject({ ...known, other });
  expect(page.value('agent_platform_hook_session_ends_total', { reason: 'clear' })).toBe(known['SessionEnd']);
  expect(`${page.text}${program.stderr()}`).not.toContain('planted');

  // All of it again: nothing is new.
  const again = Array.from({ length: 10 }, (_, start) => ({
    events: Array.from({ length: EVENTS / 10 }, (_unused, index) => ({
      ...{ id: `event-${(start * EVENTS) / 10 + index}`, hook_event_name: 'Stop', occurred_at: Date.now() },
    })),
  }));
  for (const batch of again) expect(await postEvents(exporter.url, agent, batch)).toBe(202);
  expect((await pageOf(exporter.url)).by('event', 'agent_platform_hook_events_total')).toEqual(counted);
});
