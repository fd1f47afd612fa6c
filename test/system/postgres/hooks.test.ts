import { Agent } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../bench/programs.ts';
import { readPage } from '../../e2e/page.ts';
import { waitFor } from '../../support/wait-for.ts';
import { postEvents, SENDERS_TOKEN } from '../hook-sender.ts';
import { KEY } from '../platform.ts';
import { createPrograms, type Program, written } from '../programs.ts';
import { usePostgres } from './server.ts';

const EVENTS = 30_000;
const SENDERS = 50;
/** Events per request, as the hook command sends what it has kept. */
const TOGETHER = 20;

const server = usePostgres();
const programs = createPrograms();

test('30 000 events of 50 senders over three replicas are counted once each, although replicas and the database are killed', async () => {
  const database = await server.database();
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const start = async (port: number): Promise<Program> => {
    const program = programs.exporter(['serve', `--web.listen-address=127.0.0.1:${port}`], {
      AGENT_PLATFORM_API_BASE_URL: 'http://127.0.0.1:9',
      AGENT_PLATFORM_API_KEY: KEY,
      AGENT_PLATFORM_STORAGE_URL: database,
      AGENT_PLATFORM_HOOKS_TOKEN: SENDERS_TOKEN,
      AGENT_PLATFORM_HOOKS_REQUESTS_PER_SECOND: '100000',
    });
    await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
    return program;
  };
  const running = await Promise.all(ports.map(start));
  const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
  onTestFinished(() => agent.destroy());
  let next = 0;
  let acknowledged = 0;

  async function send(sender: number): Promise<void> {
    while (next < EVENTS) {
      const first = next;
      next += TOGETHER;
      const events = Array.from({ length: TOGETHER }, (_, index) => ({
        ...{ id: `event-${first + index}`, hook_event_name: 'Stop', session_id: `session-${sender}` },
        occurred_at: Date.now(),
      }));
      const body = { events };
      // Another replica each time, until one has taken them.
      let attempt = sender;
      await waitFor(async () => {
        attempt += 1;
        expect(await postEvents(`http://127.0.0.1:${ports[attempt % ports.length]}`, agent, body)).toBe(202);
      });
      acknowledged += TOGETHER;
    }
  }

  const senders = Promise.all(Array.from({ length: SENDERS }, (_, sender) => send(sender)));
  for (const [index, share] of [0.2, 0.4].entries()) {
    await waitFor(() => expect(acknowledged).toBeGreaterThan(share * EVENTS));
    running[index]?.send('SIGKILL');
    await running[index]?.ended;
    running[index] = await start(ports[index] ?? 0);
  }
  await waitFor(() => expect(acknowledged).toBeGreaterThan(0.6 * EVENTS));
  server.stop('immediate');
  server.start();
  await senders;
  for (const port of ports) {
    await waitFor(async () => {
      const page = readPage(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
      expect(page.value('agent_platform_hook_events_total', { event: 'Stop' })).toBe(EVENTS);
    });
  }
});
