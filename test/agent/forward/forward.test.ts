import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { SharedEvent } from '../../../src/agent/event.ts';
import {
  classifyResponse,
  createForwarding,
  type ForwardParts,
  forward as forwardSpooled,
  keepOnDisk,
} from '../../../src/agent/forward/forward.ts';
import { Spool } from '../../../src/agent/forward/spool.ts';
import type { HookLog } from '../../../src/agent/log.ts';
import type { Answer, Post, PostRequest } from '../../../src/agent/post.ts';
import { HttpError } from '../../../src/net/http-error.ts';
import { taken } from '../../e2e/hook-process.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const now = Date.UTC(2026, 10, 20);
const day = 86_400_000;
let state = '';

beforeEach(() => {
  state = mkdtempSync(path.join(tmpdir(), 'hook-state-'));
});

afterEach(() => rmSync(state, { recursive: true, force: true }));

/** The error of a request without an answer. */
function failedWith(code: string, { end = 'failed' as 'failed' | 'late', timeoutMs = 1000 } = {}): HttpError {
  const url = new URL('http://exporter.example');
  return new HttpError(Object.assign(new Error('unused'), { code }), {
    end,
    url,
    proxy: undefined,
    words: { late: `no answer within ${timeoutMs} ms`, unknown: 'unused' },
  });
}

/** An exporter that answers with `answer`, and forwarding to it. */
function forwarding(
  answer: (request: PostRequest, nth: number) => Answer | HttpError = () => answered(202),
  spool = { maxBytes: 1_000_000, maxAgeMs: 3_600_000 },
) {
  const requests: PostRequest[] = [];
  const logged: string[] = [];
  /** The fields of the errors among them. */
  const details: unknown[] = [];
  const clock = createFakeClock(now, { autoAdvance: true });
  const log: HookLog = {
    error: (message, fields) => {
      logged.push(`error ${message}`);
      details.push(fields);
    },
    warn: (message) => void logged.push(`warn ${message}`),
    remember: () => undefined,
  };
  const post: Post = async (request) => {
    requests.push(request);
    const result = answer(request, requests.length);
    if (result instanceof HttpError) throw result;
    return result.status === 202 && result.body === '' ? { ...result, body: taken(request.body) } : result;
  };
  const settings = {
    url: 'http://exporter.example/hooks/events',
    token: { variable: 'T' },
    caFile: undefined,
    timeoutMs: 1000,
    spool,
  };
  const parts: ForwardParts = createForwarding(settings, state, { post, secret: () => 'token', clock, log });
  return { parts, clock, requests, logged, details, sent: () => requests.map(idsIn) };
}

/** Spools an event and forwards it, as the command does. */
function forward(parts: ForwardParts, one: SharedEvent, until: number): Promise<void> {
  return forwardSpooled(parts, one, until, keepOnDisk(parts.spool, one, parts.log));
}

/** An answer; a 202 without a body gets the hook intake's body when it accepts every event. */
function answered(status: number, body = '', retryAfter?: string): Answer {
  return { status, body, retryAfter };
}

function event(id: string, at = now): SharedEvent {
  return { id, hook_event_name: 'Stop', session_id: 's', occurred_at: at };
}

function idsIn({ body }: PostRequest): readonly string[] {
  const value: { id?: string; events?: readonly { id: string }[] } = JSON.parse(body);
  return value.events?.map(({ id }) => id) ?? [value.id ?? ''];
}

describe('forwarding', () => {
  test('sends an event at once, with the token, and keeps nothing', async () => {
    const { parts, requests, sent } = forwarding();
    await forward(parts, event('a'), 1000);
    expect(sent()).toEqual([['a']]);
    const date = new Date(now).toUTCString();
    expect(requests[0]).toMatchObject({ headers: { authorization: 'Bearer token', date } });
    expect(parts.spool.names()).toEqual([]);
    expect(readdirSync(state)).toEqual(['spool']);
  });

  test('keeps events that are not accepted, and sends them first next time', async () => {
    const down = forwarding(() => failedWith('ECONNREFUSED'));
    await forward(down.parts, event('b', now + 1), 1000);
    await forward(down.parts, event('a', now), 1000);
    expect(down.parts.spool.names()).toHaveLength(2);
    const up = forwarding();
    await forward(up.parts, event('c', now + 2), 1000);
    expect(up.sent()).toEqual([['a', 'b', 'c']]);
    expect(up.parts.spool.names()).toEqual([]);
  });

  test.each([500, 502, 503, 429, 401, 404])(
    'keeps events that were answered %i, and does not retry at once',
    async (status) => {
      const { parts, clock, requests } = forwarding((_, nth) => answered(nth === 1 ? status : 202));
      await forward(parts, event('a'), 1000);
      await forward(parts, event('b', now + 1), 1000);
      expect(requests).toHaveLength(1);
      await clock.advance(60_000);
      await forward(parts, event('c', now + 2), 100_000);
      expect(requests.slice(1).map(idsIn)).toEqual([['a', 'b', 'c']]);
    },
  );

  test('waits as long as requested', async () => {
    const { parts, clock, requests } = forwarding((_, nth) => answered(nth === 1 ? 429 : 202, '', '120'));
    await forward(parts, event('a'), 1000);
    await clock.advance(119_000);
    await forward(parts, event('b'), 200_000);
    expect(requests).toHaveLength(1);
    await clock.advance(2000);
    await forward(parts, event('c'), 200_000);
    expect(requests).toHaveLength(2);
  });

  test('drops an event that the intake rejects, and reports it', async () => {
    const { parts, logged } = forwarding(() => answered(400, refusal('invalid')));
    await forward(parts, event('a'), 1000);
    expect(parts.spool.names()).toEqual([]);
    expect(logged).toEqual(['error Event lost: rejected by the exporter']);
  });

  test.each([
    ['400 of a proxy', answered(400, '<html>Bad Request</html>')],
    ['400 of another API', answered(400, '{"error": "bad request", "reason": "who knows"}')],
    [
      '400 of an exporter of an earlier release, which gives no reason',
      answered(400, '{"error":"the body is not JSON"}'),
    ],
    ['413 of a proxy', answered(413, 'Request Entity Too Large')],
    ['415, since the event is not at fault', answered(415, refusal('malformed'))],
    ['200 of a login page', answered(200, '<html>Sign in</html>')],
    ['202 of another API', answered(202, '{"status": "accepted"}')],
    [
      '202 that does not account for every event',
      answered(202, '{"accepted":0,"duplicates":0,"rejected":0}'),
    ],
    ['202 whose counts are no numbers', answered(202, '{"accepted":"9","duplicates":null,"rejected":null}')],
  ])('keeps every event despite the answer of a %s', async (_, answer) => {
    const { parts, clock, requests, logged } = forwarding(() => answer);
    for (let nth = 0; nth < 8; nth++) parts.spool.add(event(`e${nth}`, now + nth));
    await forward(parts, event('last', now + 9), 1000);
    expect(parts.spool.names()).toHaveLength(9);
    expect(logged.filter((line) => line.startsWith('error'))).toEqual([]);
    expect(logged.at(-1)).toMatch(/^warn Events stay on disk/);
    // There is no retry for a while, and then the intake itself receives all of them.
    const before = requests.length;
    await forward(parts, event('b', now + 10), 1000);
    expect(requests).toHaveLength(before);
    await clock.advance(60_000);
    const up = forwarding();
    await forward({ ...up.parts, clock }, event('c', now + 11), 100_000);
    expect(up.sent().flat()).toHaveLength(11);
  });

  test.each([
    ['by the intake', refusal('malformed'), 0, 'error Event lost: rejected by the exporter'],
    ['on the way', 'Forbidden words', 1, undefined],
  ])('halves a batch that is refused %s until the bad event is alone', async (_, body, remaining, said) => {
    const { parts, logged, sent } = forwarding((request) =>
      idsIn(request).includes('bad') ? answered(400, body) : answered(202),
    );
    const ids = ['bad', ...Array.from({ length: 30 }, (_, nth) => `e${nth}`)];
    for (const [index, id] of ids.entries()) parts.spool.add(event(id, now + index));
    await forward(parts, event('last', now + 99), 1000);
    const good = sent().filter((batch) => !batch.includes('bad'));
    expect(good.flat().sort()).toEqual([...ids.slice(1), 'last'].sort());
    expect(parts.spool.names()).toHaveLength(remaining);
    expect(logged).toEqual(said === undefined ? [] : [said]);
  });

  test('goes on past events that are rejected on the way, as long as others between them are accepted', async () => {
    const { parts, logged, sent } = forwarding((request) =>
      idsIn(request).some((id) => id.startsWith('bad')) ? answered(400, 'Forbidden words') : answered(202),
    );
    const ids = ['bad-1', 'a', 'b', 'c', 'bad-2', 'd', 'e', 'f', 'bad-3', 'g'];
    for (const [index, id] of ids.entries()) parts.spool.add(event(id, now + index));
    await forward(parts, event('last', now + 99), 1000);
    const good = sent().filter((batch) => !batch.some((id) => id.startsWith('bad')));
    expect(good.flat()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'last']);
    expect(parts.spool.names()).toHaveLength(3);
    // The exporter is not at fault, so that the next event is sent without a pause.
    expect(logged).toEqual([]);
    await forward(parts, event('next', now + 100), 1000);
    expect(sent().flat()).toContain('next');
  });

  test('halves a batch that is too large, and loses only what is too large by itself', async () => {
    const { parts, sent, logged } = forwarding((request) => {
      const ids = idsIn(request);
      return ids.length > 2 || ids.includes('huge') ? answered(413, refusal('too_large')) : answered(202);
    });
    for (const [index, id] of ['a', 'b', 'huge', 'c'].entries()) parts.spool.add(event(id, now + index));
    await forward(parts, event('d', now + 9), 1000);
    expect(parts.spool.names()).toEqual([]);
    const last = new Set(
      sent()
        .filter((ids) => !ids.includes('huge') && ids.length <= 2)
        .flat(),
    );
    expect([...last].sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(logged).toEqual(['error Event lost: rejected by the exporter']);
  });

  test('sends a long backlog in batches, in order', async () => {
    const { parts, sent } = forwarding();
    const ids = Array.from({ length: 1201 }, (_, index) => `e${index}`);
    for (const [index, id] of ids.entries()) left(event(id, now + index));
    await forward(parts, event('last', now + 5000), 1000);
    expect(sent().map((batch) => batch.length)).toEqual([500, 500, 202]);
    expect(sent().flat()).toEqual([...ids, 'last']);
  });

  test('sends nothing when its time is up', async () => {
    const { parts, requests } = forwarding();
    await forward(parts, event('a'), 0);
    expect(requests).toHaveLength(0);
    expect(parts.spool.names()).toHaveLength(1);
  });

  test('sends at once what the disk cannot take', async () => {
    rmSync(state, { recursive: true });
    writeFileSync(state, 'a file where the folder should be');
    const { parts, sent, logged } = forwarding();
    await forward(parts, event('a'), 1000);
    expect(sent()).toEqual([['a']]);
    expect(logged).toEqual(['warn Event cannot be spooled to disk; sending it immediately']);
  });

  test.each([
    ['what is left of the run', 400, 400],
    ['its own timeout where more is left', 100_000, 1000],
  ])('gives a request %s', async (_, until, timeoutMs) => {
    const { parts, requests } = forwarding();
    await forward(parts, event('a'), until);
    expect(requests).toMatchObject([{ timeoutMs }]);
  });

  test('says nothing against an exporter that the run’s own end cut short, and waits for it no longer', async () => {
    const nobody = forwarding(({ timeoutMs }) => failedWith('ETIMEDOUT', { end: 'late', timeoutMs }));
    await forward(nobody.parts, event('a'), 400);
    expect(nobody.requests).toHaveLength(1);
    expect(nobody.parts.spool.names()).toHaveLength(1);
    expect(nobody.parts.pause.holds(now)).toBe(false);
  });

  test('delays no new event because of waiting ones: a slow exporter gets those bit by bit', async () => {
    const slow = forwarding();
    const post: Post = async (request) => {
      await slow.clock.advance(300);
      slow.requests.push(request);
      return answered(202, taken(request.body));
    };
    for (let nth = 0; nth < 2000; nth++) left(event(`e${nth}`, now + nth));
    await forward({ ...slow.parts, post }, event('last', now + 9000), 10_000);
    expect(slow.sent().map((batch) => batch.length)).toEqual([500, 500]);
    expect(slow.parts.spool.names()).toHaveLength(1001);
  });

  test.each([
    ['half a file', (text: string) => text.slice(0, 20)],
    ['an empty file', () => ''],
    ['zeros, as after a power cut', (text: string) => '\0'.repeat(text.length)],
    ['another event of the same size', (text: string) => text.replace('"b"', '"x"')],
  ])('sets %s aside and sends the others', async (_, damage) => {
    const { parts, sent, logged } = forwarding();
    const folder = path.join(state, 'spool');
    for (const id of ['a', 'b', 'c']) parts.spool.add(event(id));
    const name = readdirSync(folder).find((each) => each.endsWith('-b.json')) ?? '';
    const text = readFileSync(path.join(folder, name), 'utf8');
    writeFileSync(path.join(folder, name), damage(text));
    await forward(parts, event('d', now + 1), 1000);
    expect(sent().flat().sort()).toEqual(['a', 'c', 'd']);
    expect(readdirSync(folder)).toEqual([`${name}.damaged`]);
    expect(logged).toEqual(['error Event lost: its damaged file was set aside']);
  });

  test('sends what an earlier release kept', async () => {
    const { parts, sent } = forwarding();
    left(event('old'));
    await forward(parts, event('new', now + 1), 1000);
    expect(sent()).toEqual([['old', 'new']]);
  });
});

/** Writes an event to the spool as an earlier release did: without a checksum, and without syncing to disk. */
function left(each: SharedEvent): void {
  const text = JSON.stringify(each);
  const name = `${String(each.occurred_at).padStart(15, '0')}-${String(text.length).padStart(6, '0')}-${each.id}.json`;
  mkdirSync(path.join(state, 'spool'), { recursive: true });
  writeFileSync(path.join(state, 'spool', name), text);
}

function refusal(reason: string): string {
  return JSON.stringify({ error: 'refused', reason });
}

describe('the spool', () => {
  test('drops the oldest beyond its size', () => {
    const spool = new Spool(path.join(state, 'spool'), { maxBytes: 170, maxAgeMs: 1e9 });
    for (const [index, id] of ['a', 'b', 'c', 'd'].entries()) spool.add(event(id, now + index));
    expect(spool.trim(now)).toBe(2);
    expect(spool.names().map((name) => name.slice(-6, -5))).toEqual(['c', 'd']);
  });

  test('drops old and incomplete files', () => {
    const folder = path.join(state, 'spool');
    let uptime = 500;
    const spool = new Spool(folder, { maxBytes: 1e6, maxAgeMs: 7_200_000 }, () => uptime);
    spool.add(event('old', now - 7_200_001));
    spool.add(event('new', now - 7_200_000));
    const incomplete = `${String(now - 4e6).padStart(15, '0')}-000001-x.json.77.new`;
    writeFileSync(path.join(folder, incomplete), '');
    expect(spool.trim(now)).toBe(0);
    expect(readdirSync(folder)).toContain(incomplete);
    spool.add(event('newer', now + day));
    uptime += day / 1000;
    expect(spool.trim(now + day)).toBe(2);
    expect(readdirSync(folder)).not.toContain(incomplete);
    expect(spool.names().map((name) => name.slice(-10, -5))).toEqual(['newer']);
    expect(spool.trim(now + day)).toBe(0);
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test('is not emptied by clock steps, however many', () => {
    let uptime = 500;
    const spool = new Spool(path.join(state, 'spool'), { maxBytes: 1e6, maxAgeMs: 7 * day }, () => uptime);
    for (const id of ['a', 'b', 'c']) spool.add(event(id));
    const ahead = now + 8 * day;
    const steps = [ahead, now + 1, ahead + day, now + 2, ahead, ahead + 30 * day, ahead, ahead + day];
    for (const step of steps) expect(spool.trim(step)).toBe(0);
    expect(spool.names()).toHaveLength(3);
    uptime += day / 1000;
    expect(spool.trim(ahead + 2 * day)).toBe(3);
  });

  test('drops old events of a machine that was started again in between', () => {
    let uptime = 500;
    const spool = new Spool(path.join(state, 'spool'), { maxBytes: 1e6, maxAgeMs: day }, () => uptime);
    spool.add(event('a'));
    expect(spool.trim(now + 2 * day)).toBe(0);
    uptime = 100;
    expect(spool.trim(now + 4 * day)).toBe(1);
  });

  test('keeps what is exactly within its limits', () => {
    const spool = new Spool(path.join(state, 'spool'), { maxBytes: 1e6, maxAgeMs: 7_200_000 });
    spool.add(event('a', now));
    const bytes = JSON.stringify(event('a', now)).length;
    expect(new Spool(path.join(state, 'spool'), { maxBytes: bytes, maxAgeMs: day }).trim(now)).toBe(0);
    expect(new Spool(path.join(state, 'spool'), { maxBytes: bytes - 1, maxAgeMs: day }).trim(now)).toBe(1);
  });

  test('keeps files that are being written, and damaged ones as long as an event', () => {
    const folder = path.join(state, 'spool');
    let uptime = 500;
    const spool = new Spool(folder, { maxBytes: 1e6, maxAgeMs: day }, () => uptime);
    spool.setAside(spool.add(event('bad', now)));
    writeFileSync(path.join(folder, `${String(now).padStart(15, '0')}-000001-x.json.77.new`), '');
    expect(spool.trim(now + 3_600_000)).toBe(0);
    expect(readdirSync(folder)).toHaveLength(2);
    expect(spool.names()).toEqual([]);
    expect(spool.trim(now + day + 1)).toBe(0);
    expect(readdirSync(folder).filter((name) => name.endsWith('.damaged'))).toHaveLength(1);
    uptime += day / 1000;
    expect(spool.trim(now + 2 * day + 1)).toBe(0);
    expect(readdirSync(folder)).toEqual(['overdue-since']);
  });

  test('needs no directory to be empty, and no other file to set one aside', () => {
    const spool = new Spool(path.join(state, 'nowhere'), { maxBytes: 1, maxAgeMs: 1 });
    expect(spool.names()).toEqual([]);
    expect(spool.trim(now)).toBe(0);
    expect(() => spool.setAside('000000000000001-000010-a.json')).not.toThrow();
    expect(() => spool.remove(['000000000000001-000010-a.json'])).not.toThrow();
    expect(spool.read('000000000000001-000010-a.json')).toEqual({ kind: 'gone' });
  });

  test('ignores files that are not its own', () => {
    mkdirSync(path.join(state, 'spool'));
    writeFileSync(path.join(state, 'spool', 'README'), 'x');
    expect(new Spool(path.join(state, 'spool'), { maxBytes: 1, maxAgeMs: 1 }).names()).toEqual([]);
  });
});

test('a directory in the spool keeps no event from being sent', async () => {
  mkdirSync(path.join(state, 'spool', '000000000000001-000010-a.json'), { recursive: true });
  const { parts, sent } = forwarding();
  await forward(parts, event('b'), 1000);
  expect(sent()).toEqual([['b']]);
});

test('an event that the system cannot read at the moment stays, and keeps no other from being sent', async () => {
  const { parts, sent, logged } = forwarding();
  const unread = parts.spool.add(event('a', now - 1));
  const read = parts.spool.read.bind(parts.spool);
  vi.spyOn(parts.spool, 'read').mockImplementation((name) =>
    name === unread ? { kind: 'unread' } : read(name),
  );
  await forward(parts, event('b'), 1000);
  expect(sent()).toEqual([['b']]);
  expect(parts.spool.names()).toEqual([unread]);
  expect(logged).toContain('warn Events stay on disk: their files cannot be read');
});

test('a pause holds until its end, and not at all if it ends later than any would', () => {
  const { pause } = forwarding().parts;
  expect(pause.holds(now)).toBe(false);
  pause.begin(now + 1000);
  expect([pause.holds(now), pause.holds(now + 999), pause.holds(now + 1000)]).toEqual([true, true, false]);
  expect([pause.holds(now + 1000 - 300_000), pause.holds(now + 999 - 300_000)]).toEqual([true, false]);
  pause.end();
  expect(pause.holds(now)).toBe(false);
  rmSync(state, { recursive: true });
  writeFileSync(state, 'a file where the folder should be');
  expect(() => pause.begin(now + 1000)).not.toThrow();
});

test.each([
  [401, '', undefined, 30_000, 'the token differs from that of the exporter'],
  [403, '', undefined, 30_000, 'the token differs from that of the exporter'],
  [404, '', undefined, 30_000, 'no exporter with a hook token at this URL'],
  [404, '', '60', 60_000, 'no exporter with a hook token at this URL'],
  [503, '', undefined, 2000, undefined],
  [503, '', '1', 2000, undefined],
  [429, '', '120', 120_000, undefined],
  [429, '', '9999', 300_000, undefined],
  [429, '', 'tomorrow', 2000, undefined],
  [429, '', '1e2', 2000, undefined],
])('an answer %i with Retry-After %j%s pauses for %i ms', (status, body, retryAfter, pauseMs, hint) => {
  const why = hint === undefined ? `answered ${status}` : `answered ${status}: ${hint}`;
  expect(classifyResponse({ status, body, retryAfter }, 1)).toEqual({ kind: 'later', why, pauseMs });
});

test.each([
  ['ECONNREFUSED', 0],
  ['ECONNRESET', 0],
  ['EPIPE', 0],
  ['ETIMEDOUT', 15_000],
  ['ENOTFOUND', 15_000],
])('a request that fails with %s pauses for %i ms', async (code, pauseMs) => {
  const { parts, clock, requests } = forwarding(() => failedWith(code));
  await forward(parts, event('a'), 100_000);
  await clock.advance(Math.max(0, pauseMs - 1));
  expect(parts.pause.holds(clock.now())).toBe(pauseMs > 0);
  await clock.advance(1);
  expect(parts.pause.holds(clock.now())).toBe(false);
  expect(requests).toHaveLength(1);
});

test('an answer of 202 says how many events the intake rejected', () => {
  const body = '{"accepted":1,"duplicates":1,"rejected":2}';
  expect(classifyResponse(answered(202, body), 4)).toEqual({ kind: 'taken', rejected: 2 });
  expect(classifyResponse(answered(202, body), 5)).toMatchObject({ kind: 'later', pauseMs: 30_000 });
  expect(classifyResponse(answered(400, refusal('too_old')), 1)).toEqual({
    ...{ kind: 'refused', why: 'answered 400', byIntake: true },
  });
  expect(classifyResponse(answered(413, '[]'), 1)).toMatchObject({ kind: 'refused', byIntake: false });
});

test('an event that is sent without the disk and not accepted is lost, and that is said', async () => {
  rmSync(state, { recursive: true });
  writeFileSync(state, 'a file where the folder should be');
  const { parts, logged, details } = forwarding(() => answered(503));
  await forward(parts, event('a'), 1000);
  expect(logged.at(-1)).toBe('error Event lost');
  expect(details.at(-1)).toEqual({ event: 'Stop', why: 'answered 503' });
});

test('an event that is sent without the disk and rejected is lost, and that is said', async () => {
  rmSync(state, { recursive: true });
  writeFileSync(state, 'a file where the folder should be');
  const body = '{"accepted":0,"duplicates":0,"rejected":1}';
  const { parts, logged } = forwarding(() => answered(202, body));
  await forward(parts, event('a'), 1000);
  expect(logged.at(-1)).toBe('error Events lost: rejected by the exporter');
});

test('a redirect is an answer of which the reason says what to do', () => {
  expect(classifyResponse(answered(308, ''), 1)).toMatchObject({
    kind: 'later',
    why: 'answered 308: redirects are not followed; set forward.url to where they lead',
  });
});

test('events beyond the limits of the spool are lost, and that is said', async () => {
  const { parts, logged, sent } = forwarding(undefined, { maxBytes: 100, maxAgeMs: day });
  for (const id of ['a', 'b', 'c']) parts.spool.add(event(id));
  await forward(parts, event('d', now + 1), 1000);
  expect(logged).toEqual(['error Events lost: spool limits exceeded']);
  expect(sent()).toEqual([['d']]);
});

test('events of a batch that the intake rejects are lost, and that is said', async () => {
  const body = '{"accepted":1,"duplicates":0,"rejected":1}';
  const { parts, logged } = forwarding(() => answered(202, body));
  parts.spool.add(event('a'));
  await forward(parts, event('b', now + 1), 1000);
  expect(logged).toEqual(['error Events lost: rejected by the exporter']);
  expect(parts.spool.names()).toEqual([]);
});

test('a pause that cannot be removed is no failure', () => {
  mkdirSync(path.join(state, 'pause'));
  expect(() => forwarding().parts.pause.end()).not.toThrow();
});
