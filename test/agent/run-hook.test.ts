import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openInput } from '../../src/agent/input.ts';
import { findPaths } from '../../src/agent/paths.ts';
import { runHook } from '../../src/agent/run-hook.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const EVENT = '{"hook_event_name": "Stop", "session_id": "s", "prompt": "a secret"}';
const FORWARDING = 'forward: {url: "http://127.0.0.1:1", token_env: NO_TOKEN}\n';
/** Settings of a file that was named but does not exist. */
const missing = 'missing';
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hook-run-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the command in a process that took an hour to start by default; returns what was on disk each time the deadline was set. */
async function run(
  settings: string | undefined,
  nth = 1,
  {
    logged = [] as string[],
    startMs = 3_600_000,
    onRead = (_limitMs: number) => {},
    input: text = EVENT.replace('a secret', `prompt ${randomUUID()}`),
    onDeadline = (_deadlineMs: number) => {},
  } = {},
) {
  const file = path.join(folder, 'hooks.yaml');
  if (settings !== undefined && settings !== missing) writeFileSync(file, settings);
  const environment = { HOME: folder, AGENT_PLATFORM_HOOK_STATE_DIR: path.join(folder, 'state') };
  const config = settings === undefined ? undefined : file;
  const clock = createFakeClock(0, { autoAdvance: true });
  await clock.advance(startMs);
  const atDeadline: number[] = [];
  const input = openInput(Readable.from([Buffer.from(text)]));
  await runHook({
    paths: findPaths({ config, stateDir: undefined }, environment),
    environment,
    input: {
      ...input,
      read(limitMs) {
        onRead(limitMs);
        return input.read(limitMs);
      },
    },
    clock,
    log: {
      error: (message) => void logged.push(message),
      warn: (message) => void logged.push(message),
      remember: () => undefined,
    },
    version: '1',
    platform: 'linux',
    soundFile: () => '',
    createId: () => `id-${nth}`,
    onDeadline(deadlineMs) {
      atDeadline.push(spooled().length);
      onDeadline(deadlineMs);
    },
  });
  return { atDeadline, logged };
}

function spooled(): readonly string[] {
  const spool = path.join(folder, 'state', 'spool');
  return existsSync(spool) ? readdirSync(spool) : [];
}

describe('the deadline', () => {
  /** The deadlines of a run, in order, and what it logged. */
  async function deadlinesOf(input: string, settings?: string) {
    const logged: string[] = [];
    const deadlines: number[] = [];
    await run(settings, 1, { logged, startMs: 0, input, onDeadline: (ms) => void deadlines.push(ms) });
    return { deadlines, logged };
  }

  test('counts once the event is on disk, and is that of the settings once they are known', async () => {
    const settings = 'deadline: 4s\nchannels: {}';
    expect(await deadlinesOf(EVENT, settings)).toEqual({ deadlines: [2500, 4000], logged: [] });
    expect(await deadlinesOf(EVENT.replace('s"', 't"'), settings)).toEqual({
      deadlines: [4000, 4000],
      logged: [],
    });
  });

  test('counts for an invalid event too, which is logged', async () => {
    expect(await deadlinesOf('nonsense', 'channels: {}')).toEqual({
      deadlines: [2500],
      logged: ['Invalid event'],
    });
    expect(spooled()).toEqual([]);
  });
});

describe('an event that is to be forwarded', () => {
  test('is on disk before the deadline counts, whatever the start of the process took', async () => {
    for (const nth of [1, 2]) {
      const { atDeadline } = await run(FORWARDING, nth);
      expect(atDeadline[0]).toBe(nth);
      expect(spooled()).toHaveLength(nth);
    }
  });

  test('waits on disk where the settings cannot be used, until they can', async () => {
    const { logged } = await run(`${FORWARDING}chanels: {}\n`);
    expect(logged).toEqual(['Invalid settings']);
    expect(spooled()).toHaveLength(1);
    await run(FORWARDING, 2);
    rmSync(path.join(folder, 'hooks.yaml'));
    await run(missing, 3, { logged });
    expect(logged).toEqual(['Invalid settings', 'Invalid settings']);
    expect(spooled()).toHaveLength(3);
  });

  test.each([
    ['settings that only mention it', '# no forwarding here\nchannels: {}\n'],
    ['settings without it', 'channels: {}\n'],
    ['no settings', undefined],
  ])('is ignored with %s, and nothing stays on disk', async (_, settings) => {
    await run(settings);
    expect(spooled()).toEqual([]);
  });
});

test('an unexpected failure of forwarding ends no notification', async () => {
  const settings = `${FORWARDING}channels: {chat: {type: webhook, url: "http://127.0.0.1:1", secret_env: NO_SECRET}}
rules: [{events: [Stop], channels: [chat]}]
`;
  /** Fails at the first line, which is that of forwarding without a token. */
  class FailingLog extends Array<string> {
    override push(line: string): number {
      super.push(line);
      if (this.length === 1) throw new Error('the log is full');
      return this.length;
    }
  }
  const logged = new FailingLog();
  await expect(run(settings, 1, { logged, startMs: 0 })).rejects.toThrow('the log is full');
  expect([...logged]).toEqual([
    'Events stay on disk: the exporter did not accept them',
    'Notification failed',
  ]);
});

describe('the input', () => {
  const found = { name: 'Stop', sessionId: 's' };

  test('is read even if its time has passed meanwhile', async () => {
    const stream = new PassThrough();
    const input = openInput(stream);
    const event = input.read(0);
    // The timer is due at once, as in a process without CPU time for a while; available input is read nevertheless.
    stream.write(EVENT);
    expect(await event).toMatchObject(found);
  });

  test('ends on request, with what has arrived', async () => {
    const stream = new PassThrough();
    const input = openInput(stream);
    stream.write(EVENT);
    input.stop();
    expect(await input.read(60_000)).toMatchObject(found);
  });

  test('ends with a complete event if the agent keeps the pipe open', async () => {
    const stream = new PassThrough();
    const event = openInput(stream).read(600_000);
    stream.write(EVENT.slice(0, 20));
    stream.write(EVENT.slice(20));
    expect(await event).toMatchObject(found);
  });

  test('may begin late: it may take the whole deadline except for the time to write', async () => {
    const limits: number[] = [];
    for (const startMs of [0, 1500, 2500]) {
      const settings = `deadline: 4s\n${FORWARDING}`;
      await run(settings, 1, { startMs, onRead: (limitMs) => void limits.push(limitMs) });
    }
    // The settings are known from the second run on.
    expect(limits).toEqual([2200, 2200, 1200]);
  });

  test.each<[string, Buffer]>([
    ['UTF-8 with a BOM', Buffer.from(`\ufeff${EVENT}`)],
    ['UTF-16', Buffer.from(EVENT, 'utf16le')],
    ['UTF-16 with a BOM', Buffer.from(`\ufeff${EVENT}`, 'utf16le')],
    ['UTF-16 of the other byte order', Buffer.from(EVENT, 'utf16le').swap16()],
    ['UTF-16 of the other byte order with a BOM', Buffer.from(`\ufeff${EVENT}`, 'utf16le').swap16()],
    ['UTF-8 with a NUL at its end', Buffer.from(`${EVENT}\0`)],
    ['UTF-8 with a line feed and NULs at its end', Buffer.from(`${EVENT}\n\0\0`)],
  ])('may be %s', async (_, bytes) => {
    expect(await openInput(Readable.from([bytes])).read(60_000)).toMatchObject(found);
  });

  test('counts by its beginning if it is too long', async () => {
    const start =
      '{"tool_input": {"session_id": "nested"}, "session_id": "s", "reason": "a\\"b", "hook_event_name": "Stop"';
    const chunk = Buffer.alloc(4_194_304, 'x');
    const long = [
      Buffer.from(`${start}, "prompt": "`),
      ...Array.from({ length: 10 }, () => chunk),
      Buffer.from('"}'),
    ];
    const event = await openInput(Readable.from(long)).read(60_000);
    expect(event).toMatchObject({ ...found, reason: 'a"b' });
    const nameless = await openInput(Readable.from([...long.slice(1)])).read(60_000);
    expect(nameless).toEqual({ problem: 'the input has no hook_event_name' });
  });
});
