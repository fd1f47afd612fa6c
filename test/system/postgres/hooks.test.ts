import { Agent } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../bench/programs.ts';
import { WAIT_BOUNDS } from '../../../src/intake/waits.ts';
import { type Page, readPage } from '../../e2e/page.ts';
import { below, createRandom, drawn } from '../../fuzz/random.ts';
import { createMachineClock } from '../../storm/machine-clock.ts';
import { waitFor } from '../../support/wait-for.ts';
import { postEvents, SENDERS_TOKEN } from '../hook-sender.ts';
import { KEY } from '../platform.ts';
import { createPrograms, type Program, written } from '../programs.ts';
import { usePostgres } from './server.ts';

const EVENTS = 30_000;
const SENDERS = 50;
/** Events per request, as the hook command sends what it has kept: a few, or its most. */
const [FEW, MOST] = [20, 500];

const server = usePostgres();
const programs = createPrograms();

/** Three replicas on a database; `optionsOf`: arguments of Node by the number of the replica. */
async function startReplicas(database: string, optionsOf: (replica: number) => string = () => '') {
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const start = async (replica: number): Promise<Program> => {
    const listen = `--web.listen-address=127.0.0.1:${ports[replica]}`;
    const program = programs.exporter(['serve', listen], {
      AGENT_PLATFORM_API_BASE_URL: 'http://127.0.0.1:9',
      AGENT_PLATFORM_API_KEY: KEY,
      AGENT_PLATFORM_STORAGE_URL: database,
      AGENT_PLATFORM_HOOKS_TOKEN: SENDERS_TOKEN,
      AGENT_PLATFORM_HOOKS_REQUESTS_PER_SECOND: '100000',
      NODE_OPTIONS: optionsOf(replica),
    });
    await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
    return program;
  };
  const running = await Promise.all(ports.map((_, replica) => start(replica)));
  const agent = new Agent({ keepAlive: true, maxSockets: SENDERS });
  onTestFinished(() => agent.destroy());
  return {
    /** Sends a batch to another replica each time, until one has taken it. */
    async send(first: number, events: readonly object[]): Promise<void> {
      let attempt = first;
      await waitFor(async () => {
        attempt += 1;
        const url = `http://127.0.0.1:${ports[attempt % ports.length]}`;
        expect(await postEvents(url, agent, { events })).toBe(202);
      });
    },
    async kill(replica: number): Promise<void> {
      running[replica]?.send('SIGKILL');
      await running[replica]?.ended;
      running[replica] = await start(replica);
    },
    /** Waits until each replica's page is as expected. */
    async agree(check: (page: Page) => void): Promise<void> {
      for (const port of ports)
        await waitFor(async () =>
          check(readPage(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())),
        );
    },
  };
}

test('30 000 events of 50 senders over three replicas are counted once each, although replicas and the database are killed', async () => {
  const { send, kill, agree } = await startReplicas(await server.database());
  let next = 0;
  let acknowledged = 0;

  async function sendAll(sender: number): Promise<void> {
    while (next < EVENTS) {
      const first = next;
      next += FEW;
      const events = Array.from({ length: FEW }, (_, index) => ({
        ...{ id: `event-${first + index}`, hook_event_name: 'Stop', session_id: `session-${sender}` },
        occurred_at: Date.now(),
      }));
      await send(sender, events);
      acknowledged += FEW;
    }
  }

  const senders = Promise.all(Array.from({ length: SENDERS }, (_, sender) => sendAll(sender)));
  for (const [index, share] of [0.2, 0.4].entries()) {
    await waitFor(() => expect(acknowledged).toBeGreaterThan(share * EVENTS));
    await kill(index);
  }
  await waitFor(() => expect(acknowledged).toBeGreaterThan(0.6 * EVENTS));
  server.stop('immediate');
  server.start();
  await senders;
  await agree((page) =>
    expect(page.value('agent_platform_hook_events_total', { event: 'Stop' })).toBe(EVENTS),
  );
});

const WAITS = 100_000;
const SESSIONS = 4_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TYPES = ['permission_prompt', 'idle_prompt', 'elicitation_dialog', 'unknown'] as const;
const OTHERS = ['PostToolUse', 'UserPromptSubmit', 'Stop', 'Notification'] as const;

interface Sent {
  readonly id: string;
  readonly hook_event_name: string;
  readonly session_id: string;
  readonly notification_type?: string;
  readonly occurred_at: number;
}

/** The events of sessions with waits of known lengths, and these lengths by type, in milliseconds. */
function createWaits(random: () => number, now: number) {
  const lengths = new Map<string, number[]>(TYPES.map((type) => [type, []]));
  const sessions = Array.from({ length: SESSIONS }, (_, session) => {
    const events: Sent[] = [];
    let at = now - 3 * DAY - below(DAY, random);
    const add = (hook_event_name: string, type: string) =>
      events.push({
        ...{ id: `${session}-${events.length}`, hook_event_name, session_id: `session-${session}` },
        ...(hook_event_name === 'Notification' && type !== 'unknown' ? { notification_type: type } : {}),
        occurred_at: at,
      });
    for (let wait = 0; wait < WAITS / SESSIONS; wait += 1) {
      const type = drawn(TYPES, random);
      // As many of some milliseconds as of some minutes, and one of fifty of more than an hour.
      const ms = Math.ceil((1.4 * HOUR) ** random());
      lengths.get(type)?.push(Math.min(ms, HOUR));
      add('Notification', type);
      at += ms;
      // One of three waits ends with the next one, unless it is the last; a notification may only inform.
      if (wait < WAITS / SESSIONS - 1 && below(3, random) === 0) continue;
      add(drawn(OTHERS, random), 'auth_success');
      at += 1 + below(60_000, random);
    }
    return events;
  });
  return { sessions, lengths };
}

function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

test('100 000 waits in any order, sent twice, over three replicas and a kill, count once each, and the sums are exact', async () => {
  const begins = Date.now();
  const clocks = Array.from({ length: 3 }, () => createMachineClock(begins));
  const database = await server.database();
  await server.shadowClock(database);
  const { send, kill, agree } = await startReplicas(
    database,
    (replica) => clocks[replica]?.nodeArgument ?? '',
  );
  let passed = 0;
  const pass = async (ms: number) => {
    passed += ms;
    await server.setClock(database, passed);
    for (const clock of clocks) clock.pass(ms);
    await Promise.all(clocks.map(({ followed }) => followed()));
  };
  const random = createRandom(39);
  const { sessions, lengths } = createWaits(random, begins);
  const early = sessions.slice(0, SESSIONS / 2).flat();
  const late = sessions.slice(SESSIONS / 2).flat();
  let acknowledged = 0;

  async function sendAll(events: readonly Sent[]): Promise<void> {
    const mixed = shuffled(events, random);
    let next = 0;
    acknowledged = 0;
    const sendSome = async (sender: number) => {
      while (next < mixed.length) {
        const batch = mixed.slice(next, next + MOST);
        next += MOST;
        await send(sender, batch);
        acknowledged += batch.length;
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_, sender) => sendSome(sender)));
  }

  await sendAll(early);
  // The waits that have been sent are counted while the others arrive, and the first ones come again.
  await pass(2 * HOUR);
  const sending = sendAll([...early, ...late, ...late]);
  await waitFor(() => expect(acknowledged).toBeGreaterThan(late.length / 2));
  await kill(1);
  await sending;
  await pass(2 * HOUR);
  const exact = (page: Page) => {
    for (const [notification_type, all] of lengths) {
      const value = (part: string, labels = {}) =>
        page.value(`agent_platform_hook_wait_seconds_${part}`, { notification_type, ...labels });
      expect(value('count')).toBe(all.length);
      expect(value('sum')).toBe(all.reduce((sum, ms) => sum + ms, 0) / 1000);
      for (const bound of WAIT_BOUNDS)
        expect(value('bucket', { le: String(bound) })).toBe(all.filter((ms) => ms <= bound * 1000).length);
    }
  };
  await agree(exact);

  // Once everything is forgotten, nothing has been counted again.
  const kept = async () =>
    Number(
      (await server.query(database, 'SELECT count(*)::int AS n FROM agent_platform.hook_moment'))[0]?.['n'],
    );
  for (let before = Number.POSITIVE_INFINITY, now = await kept(); now > 0; now = await kept()) {
    before = now;
    await pass(HOUR);
    await waitFor(async () => expect(await kept()).toBeLessThan(before));
  }
  await agree(exact);
});
