import { readdirSync, readFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import path from 'node:path';
import request from 'supertest';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ClientLimits } from '../../src/intake/client-limits.ts';
import { createHookHandler, MAX_BYTES } from '../../src/intake/handler.ts';
import type { Intake } from '../../src/intake/intake.ts';
import { createTestApp } from '../server/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';
import { createFileStore, createPlace, DAY, NOW, openIntake } from './parts.ts';

const TOKEN = 'a-token-of-the-senders';
const event = { id: 'e1', hook_event_name: 'Stop', session_id: 's1', occurred_at: NOW };

interface Setting {
  readonly token?: () => Promise<string>;
  readonly take?: Intake['take'];
  readonly perSecond?: number;
  readonly burst?: number;
}

/** An app that accepts hook events, and its metrics. */
async function serve({ token = async () => TOKEN, take, perSecond = 1000, burst = 1000 }: Setting = {}) {
  const file = createPlace();
  const intake = await openIntake(createFileStore(file));
  const { clock, instruments } = intake;
  const handle = createHookHandler({
    intake: { time: intake.time, from: intake.from, take: take ?? intake.take },
    token: { read: token },
    senders: new ClientLimits({ perSecond, burst, clock }),
    strangers: new ClientLimits({ perSecond: 1, burst: 3, clock }),
    instruments,
    clock,
  });
  const { app } = createTestApp({ hooks: () => handle });
  return { ...intake, file, app, handle };
}

type App = Parameters<typeof request>[0];

function post(app: App, body: unknown, headers: Record<string, string> = {}) {
  return request(app)
    .post('/hooks/events')
    .set({ authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers })
    .send(typeof body === 'string' ? body : JSON.stringify(body));
}

describe('POST /hooks/events', () => {
  test('accepts one event, and several', async () => {
    const { app, values } = await serve();
    const one = await post(app, { ...event, message: 'ignored', tool_input: { a: 1 } });
    expect([one.status, one.body]).toEqual([202, { accepted: 1, duplicates: 0, rejected: 0 }]);
    const events = [
      event,
      { ...event, id: 'e2' },
      { ...event, id: '!' },
      { ...event, id: 'e3', occurred_at: 1 },
    ];
    const several = await post(app, { events });
    expect([several.status, several.body]).toEqual([202, { accepted: 1, duplicates: 1, rejected: 2 }]);
    expect(await values('events_total')).toMatchObject({ Stop: 2 });
    expect(await values('events_rejected_total')).toMatchObject({ invalid: 1, too_old: 1, malformed: 0 });
  });

  test('accepts a body that begins with a byte order mark', async () => {
    const { app, values } = await serve();
    const { status } = await post(app, `\uFEFF${JSON.stringify(event)}`);
    expect(status).toBe(202);
    expect(await values('events_total')).toMatchObject({ Stop: 1 });
  });

  test('counts the events of a clock that is off by weeks, ahead or behind, at their arrival', async () => {
    const { app, values } = await serve();
    for (const [id, at] of [
      ['ahead', NOW + 30 * DAY],
      ['behind', NOW - 30 * DAY],
    ] as const) {
      const late = { ...event, id, occurred_at: at - 5000 };
      const { body } = await post(app, late, { date: new Date(at).toUTCString() });
      expect(body).toEqual({ accepted: 1, duplicates: 0, rejected: 0 });
    }
    expect(await values('events_total')).toMatchObject({ Stop: 2 });
    expect(await values('last_event_timestamp_seconds')).toMatchObject({ Stop: NOW / 1000 - 5 });
  });

  test('answers only once the events are stored', async () => {
    const stored = Promise.withResolvers<{ accepted: number; duplicates: number }>();
    const { app } = await serve({ take: () => stored.promise });
    let answered = false;
    const answer = post(app, event).then((response) => {
      answered = true;
      return response;
    });
    expect((await request(app).get('/-/healthy')).status).toBe(200);
    expect(answered).toBe(false);
    stored.resolve({ accepted: 1, duplicates: 0 });
    expect((await answer).status).toBe(202);
  });

  test.each([
    ['no JSON', 'nope', {}, 400, 'malformed'],
    ['no event', [], {}, 400, 'malformed'],
    ['only unusable events', { id: 'x' }, {}, 400, 'invalid'],
    ['only events of long ago', { ...event, occurred_at: NOW - 9 * DAY }, {}, 400, 'too_old'],
    ['a nest', '['.repeat(100_000), {}, 400, 'malformed'],
    ['no token', event, { authorization: '' }, 401, 'unauthorized'],
    ['a wrong token', event, { authorization: `Bearer ${TOKEN}x` }, 401, 'unauthorized'],
    ['a password', event, { authorization: 'Basic YTpi' }, 401, 'unauthorized'],
    ['another type', event, { 'content-type': 'text/plain' }, 415, 'malformed'],
    ['a compressed body', event, { 'content-encoding': 'gzip' }, 415, 'malformed'],
    ['too many events', { events: Array(1001).fill(event) }, {}, 413, 'too_large'],
    ['a body too large', `"${'x'.repeat(MAX_BYTES)}"`, {}, 413, 'too_large'],
  ])('with %s is refused in JSON, and counted', async (_, body, headers, status, reason) => {
    const { app, values } = await serve();
    const response = await post(app, body, headers);
    expect(response.status).toBe(status);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.body).toEqual({ error: expect.any(String), reason });
    expect(response.headers['www-authenticate']).toBe(status === 401 ? 'Bearer' : undefined);
    const counted = Object.entries(await values('events_rejected_total')).filter(([, count]) => count > 0);
    expect(counted).toEqual([[reason, 1]]);
    expect(await values('events_total')).toMatchObject({ Stop: 0 });
  });

  test('asks to retry if events cannot be stored, or too many are waiting', async () => {
    for (const [result, status, reason] of [
      ['unavailable', 503, 'unavailable'],
      ['busy', 429, 'throttled'],
    ] as const) {
      const { app, values } = await serve({ take: async () => result });
      // The unusable one is counted once the request has been handled.
      const response = await post(app, { events: [event, { id: '!' }] });
      expect([response.status, response.headers['retry-after']]).toEqual([status, '2']);
      expect(await values('events_rejected_total')).toMatchObject({ [reason]: 1, invalid: 0 });
    }
  });

  test('tells a sender without events whether events would be stored', async () => {
    const broken = await serve({ take: async () => 'unavailable' });
    expect((await post(broken.app, { events: [] })).body).toMatchObject({ reason: 'unavailable' });
    expect((await post(broken.app, 'not JSON')).body).toMatchObject({ reason: 'malformed' });
    const { app, values } = await serve();
    expect((await post(app, { events: [] })).body).toMatchObject({ reason: 'malformed' });
    expect(await values('events_total')).toMatchObject({ Stop: 0 });
  });

  test('limits each client to its rate, and those without the token to a lower one of their own', async () => {
    const { app, clock, values } = await serve({ perSecond: 1, burst: 2 });
    const statuses = async (headers = {}) => {
      const found = [];
      for (let count = 0; count < 4; count++) found.push((await post(app, event, headers)).status);
      return found;
    };
    expect(await statuses({ authorization: 'Bearer wrong' })).toEqual([401, 401, 401, 429]);
    expect(await statuses()).toEqual([202, 202, 429, 429]);
    expect((await post(app, event)).headers['retry-after']).toBe('1');
    await clock.advance(1_000);
    expect(await statuses()).toEqual([202, 429, 429, 429]);
    expect(await values('events_rejected_total')).toMatchObject({ throttled: 7, unauthorized: 3 });
  });

  test('accepts a changed token', async () => {
    let token = TOKEN;
    const { app } = await serve({ token: async () => token });
    expect((await post(app, event)).status).toBe(202);
    token = 'another';
    expect((await post(app, event)).status).toBe(401);
    expect((await post(app, event, { authorization: 'bearer another' })).status).toBe(202);
  });

  test('does not exist without a token, and allows only POST', async () => {
    const none = await request(createTestApp().app).post('/hooks/events').send('{}');
    expect([none.status, none.body]).toEqual([404, { error: expect.stringContaining('no hook token') }]);
    const { app } = await serve();
    for (const method of ['get', 'put', 'delete', 'head', 'options'] as const) {
      const response = await request(app)[method]('/hooks/events');
      expect([response.status, response.headers['allow']]).toEqual([405, 'POST']);
    }
  });

  test('stores only digests of an event', async () => {
    const { app, file, close } = await serve();
    const secrets = ['message', 'prompt', 'cwd', 'transcript_path', 'tool_input', 'tool_name'];
    const told = Object.fromEntries(secrets.map((member) => [member, `planted-${member}`]));
    const named = {
      ...event,
      id: 'planted-id',
      session_id: 'planted-session',
      hook_event_name: 'planted-event',
    };
    expect((await post(app, { ...named, ...told, reason: 'planted-reason' })).status).toBe(202);
    const folder = path.dirname(file);
    const held = () =>
      readdirSync(folder)
        .map((name) => readFileSync(path.join(folder, name), 'latin1'))
        .join();
    expect(held()).not.toContain('planted');
    await close();
    expect(held()).toContain('other');
    expect(held()).not.toContain('planted');
  });
});

describe('a body that does not arrive', () => {
  test('is awaited for ten seconds, and a sender that disconnects does no harm', async () => {
    const { app, clock, values } = await serve();
    const server = createServer(app).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const sender = () => {
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
      const sending = httpRequest({
        port,
        host: '127.0.0.1',
        method: 'POST',
        path: '/hooks/events',
        headers,
      });
      sending.on('error', () => undefined);
      sending.write('{"id":');
      return sending;
    };
    const slow = sender();
    const status = new Promise((resolve) => {
      slow.once('response', (response) => {
        response.resume();
        resolve(response.statusCode);
      });
    });
    await waitFor(() => expect(clock.waits).toEqual([10_000]));
    await clock.advance(10_000);
    expect(await status).toBe(408);
    // Their sizes are undeclared, so that each may become as large as allowed: sixteen at a time.
    const others = Array.from({ length: 16 }, sender);
    await waitFor(() => expect(clock.waits).toHaveLength(17));
    expect((await post(app, event)).status).toBe(429);
    for (const other of others) other.destroy();
    await waitFor(async () => expect((await values('events_rejected_total'))['malformed']).toBe(17));
    const gone = sender();
    await waitFor(() => expect(clock.waits).toHaveLength(18));
    gone.destroy();
    await waitFor(async () => expect((await values('events_rejected_total'))['malformed']).toBe(18));
    expect((await post(app, event)).status).toBe(202);
  });
});
