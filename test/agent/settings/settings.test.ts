import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HookPaths } from '../../../src/agent/paths.ts';
import { defaultSettings, loadSettings, peekSettings } from '../../../src/agent/settings/load-settings.ts';
import { type HookSettings, readSettingsFile } from '../../../src/agent/settings/settings.ts';

let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hook-settings-'));
  file = path.join(folder, 'hooks.yaml');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function read(text: string): HookSettings {
  writeFileSync(file, text);
  return readSettingsFile(file, '/home/a');
}

const everything = `
deadline: 2s
forward:
  url: https://exporter.example:9889/
  token_file: token
  ca_file: ~/ca.pem
  timeout: 500ms
  spool: {max_size: 1MiB, max_age: 1d}
quiet_hours: {from: "22:00", to: "07:00", time_zone: Europe/Berlin}
channels:
  desk: {type: desktop}
  ping: {type: sound, file: sounds/ping.wav}
  team: {type: slack, url_env: SLACK_URL}
  mail:
    type: email
    host: smtp.example.com
    username: agents
    password_file: mail-password
    from: Agents <agents@example.com>
    to: [me@example.com]
  ops: {type: webhook, url: "https://ops.example/in", secret_env: OPS_SECRET}
rules:
  - events: Notification
    channels: [desk, ping]
    message: "{project}: {message}"
    quiet_hours: none
  - events: [SessionEnd]
    reasons: [error]
    notification_types: auth_success
    min_session: 5m
    cwd: ~/work/**
    channels: [mail, ops, team]
    send: [cwd]
`;

describe('a file of settings', () => {
  test('defines who is notified of what', () => {
    const settings = read(everything);
    expect(settings.deadlineMs).toBe(2000);
    expect(settings.forward).toEqual({
      url: 'https://exporter.example:9889/hooks/events',
      token: { file: path.join(folder, 'token') },
      caFile: '/home/a/ca.pem',
      timeoutMs: 500,
      spool: { maxBytes: 1_048_576, maxAgeMs: 86_400_000 },
    });
    expect(settings.channels).toEqual({
      desk: { type: 'desktop' },
      ping: { type: 'sound', file: path.join(folder, 'sounds/ping.wav') },
      team: { type: 'slack', url: { variable: 'SLACK_URL' } },
      mail: {
        type: 'email',
        host: 'smtp.example.com',
        port: 587,
        security: 'starttls',
        from: 'Agents <agents@example.com>',
        to: ['me@example.com'],
        login: { username: 'agents', password: { file: path.join(folder, 'mail-password') } },
      },
      ops: { type: 'webhook', url: 'https://ops.example/in', secret: { variable: 'OPS_SECRET' } },
    });
    expect(settings.rules[0]).toEqual({
      events: ['Notification'],
      reasons: [],
      notificationTypes: ['permission_prompt', 'idle_prompt', 'elicitation_dialog'],
      folders: [],
      minSessionMs: 0,
      minTurnMs: 0,
      channels: ['desk', 'ping'],
      message: '{project}: {message}',
      send: [],
    });
    expect(settings.rules[1]).toMatchObject({
      notificationTypes: ['auth_success'],
      minSessionMs: 300_000,
      quiet: { from: 1320, to: 420, days: [], timeZone: 'Europe/Berlin' },
      send: ['cwd'],
    });
    expect(settings.needsLengths).toBe(true);
  });

  test('may be empty', () => {
    expect(read('')).toEqual({
      ...{ deadlineMs: 2500, forward: undefined, channels: {}, rules: [], needsLengths: false },
    });
  });

  test('forwards with limits of its own where none are given', () => {
    const limits = { maxBytes: 10_485_760, maxAgeMs: 604_800_000 };
    for (const spool of ['', ', spool: {}']) {
      const { forward } = read(`forward: {url: "http://x/hooks/events", token_env: T${spool}}`);
      expect(forward).toEqual({
        ...{ url: 'http://x/hooks/events', token: { variable: 'T' }, caFile: undefined, timeoutMs: 1000 },
        spool: limits,
      });
    }
  });

  test.each([
    ['', 587, 'starttls'],
    ['security: tls, ', 465, 'tls'],
    ['security: none, ', 25, 'none'],
    ['security: none, port: 2525, ', 2525, 'none'],
  ])('sends mails with %j by port %i', (more, port, security) => {
    const { channels } = read(
      `channels: {m: {type: email, host: h, ${more}from: a@b.c, to: [a@b.c, d@e.f]}}`,
    );
    expect(channels['m']).toMatchObject({ port, security, to: ['a@b.c', 'd@e.f'] });
    expect(channels['m']).toHaveProperty('login', undefined);
  });

  test('has directories of the user', () => {
    const text = "rules: [{channels: [d], cwd: ['~/work/**/src', '/a*c/', '/x?z', 'C:\\w.d']}]";
    const { rules } = read(`channels: {d: {type: desktop}}\n${text}`);
    expect(rules[0]?.folders).toEqual(['/home/a/work/**/src', '/a*c/', '/x?z', 'C:\\w.d']);
  });

  test('is silent at the hours and on the days of the rule, or those of the file', () => {
    const rule = (quiet: string) => read(`channels: {d: {type: desktop}}\nrules: [{channels: [d]${quiet}}]`);
    expect(rule('').rules[0]?.quiet).toBeUndefined();
    const quiet = 'quiet_hours: {from: "0:00", to: "24:00", days: [Saturday, sun]}';
    expect(rule(`, ${quiet}`).rules[0]?.quiet).toEqual({
      ...{ from: 0, to: 1440, days: ['sat', 'sun'], timeZone: undefined },
    });
    const ofFile = read(`channels: {d: {type: desktop}}\nquiet_hours: {from: "24:00", to: "9:05"}
rules: [{channels: [d]}, {channels: [d], quiet_hours: none}]`);
    expect(ofFile.rules.map((one) => one.quiet)).toEqual([
      { from: 0, to: 545, days: [], timeZone: undefined },
      undefined,
    ]);
  });

  test.each([
    ['min_session: 1m', true],
    ['min_turn: 1s', true],
    ['title: "{turn_length}"', true],
    ['message: "{session_length}"', true],
    ['message: "{session}"', false],
  ])('follows sessions for %s: %s', (more, needsLengths) => {
    const { needsLengths: found } = read(`channels: {d: {type: desktop}}\nrules: [{channels: [d], ${more}}]`);
    expect(found).toBe(needsLengths);
  });

  test.each([
    ['chanels: {}', '1: unknown key chanels', 'did you mean channels?'],
    ['rules: [{channels: [desk]}]', '1: rules[0].channels: unknown channel desk', undefined],
    ['rules: [{events: [Stop]}]', '1: rules[0]: channels is missing', undefined],
    ['rules: [{channels: []}]', '1: rules[0].channels: must name a channel', undefined],
    [
      'channels:\n  a: {type: pager}',
      '2: channels.a.type: must be one of desktop, sound, slack, teams, discord, email, webhook',
      undefined,
    ],
    [
      'channels: {a: {}}',
      '1: channels.a: type is missing',
      'one of desktop, sound, slack, teams, discord, email, webhook',
    ],
    ['channels: {a: {type: slack, url: "https://x.example"}}', '1: unknown key channels.a.url', undefined],
    [
      'channels: {a: {type: slack}}',
      '1: channels.a: url_file or url_env is missing',
      'secrets are not accepted in the file itself',
    ],
    [
      'channels: {"a b": {type: desktop}}',
      '1: channels.a b: channel names consist of letters, digits, dashes and underscores',
      undefined,
    ],
    [
      'channels: {m: {type: email, host: h, from: a@b.c, to: nobody}}',
      '1: channels.m.to: must be an e-mail address, such as "Agents <agents@example.com>"',
      undefined,
    ],
    [
      'channels: {m: {type: email, host: h, security: none, username: u, password_env: P, from: a@b.c, to: a@b.c}}',
      '1: channels.m.username: passwords are not sent unencrypted',
      'set security to tls or starttls',
    ],
    [
      'forward: {url: "http://x"}',
      '1: forward: token_file or token_env is missing',
      'secrets are not accepted in the file itself',
    ],
    ['forward: {token_env: T}', '1: forward: url is missing', undefined],
    [
      'forward: {url: "ftp://x", token_env: T}',
      '1: forward.url: must begin with https:// or http://',
      undefined,
    ],
    ['forward: {url: "http://x", token: abc}', '1: unknown key forward.token', undefined],
    [
      'forward: {url: "http://x", token_env: T, token_file: f}',
      '1: forward.token_env: token_file is given too: remove one of them',
      undefined,
    ],
    [
      'channels: {m: {type: email, host: h, password_env: P, from: a@b.c, to: a@b.c}}',
      '1: channels.m: username is missing',
      undefined,
    ],
    [
      'channels: {m: {type: email, host: h, username: u, from: a@b.c, to: a@b.c}}',
      '1: channels.m: password_file or password_env is missing',
      undefined,
    ],
    [
      'channels: {m: {type: email, host: h, from: a@b.c, to: []}}',
      '1: channels.m.to: must be an e-mail address, such as "Agents <agents@example.com>"',
      undefined,
    ],
    [
      'channels: {m: {type: email, host: h, from: a@b.c, to: [a@b.c, "x a@b.c"]}}',
      '1: channels.m.to: must be an e-mail address, such as "Agents <agents@example.com>"',
      undefined,
    ],
    [
      'channels: {m: {type: email, host: h, security: ssl, from: a@b.c, to: a@b.c}}',
      '1: channels.m.security: must be tls, starttls or none',
      undefined,
    ],
    ['channels: [a]', '1: channels: must be a mapping of names to channels', undefined],
    [
      'channels: {a: {type: slack, url_env: "A B"}}',
      '1: channels.a.url_env: is not the name of an environment variable',
      undefined,
    ],
    [
      'forward: {url: "http://x", token_env: T, spool: {max_size: much}}',
      '1: forward.spool.max_size: "much" is not a size, such as 64MiB, 512KiB or a number of bytes',
      undefined,
    ],
    [
      'forward: {url: "http://x", token_env: T, spool: {max_size: 4095}}',
      '1: forward.spool.max_size: "4095" is below the minimum of 4KiB',
      undefined,
    ],
    [
      'forward: {url: "http://x", token_env: T, spool: {max_size: 2GiB}}',
      '1: forward.spool.max_size: "2GiB" is above the maximum of 1GiB',
      undefined,
    ],
    [
      'forward: {url: "http://x", token_env: T, spool: {max_age: 8d}}',
      '1: forward.spool.max_age: "8d" is above the maximum of 7d',
      undefined,
    ],
    ['deadline: 99ms', '1: deadline: "99ms" is below the minimum of 100ms', undefined],
    ['deadline: [1s]', '1: deadline: must be a single value', undefined],
    [
      'quiet_hours: {from: "22:00", to: "22:00"}',
      '1: quiet_hours: begin and end at the same time',
      'a whole day is from "00:00" to "24:00"',
    ],
    [
      'quiet_hours: {from: "24:00", to: "0:00"}',
      '1: quiet_hours: begin and end at the same time',
      'a whole day is from "00:00" to "24:00"',
    ],
    [
      'quiet_hours: {from: "24:01", to: "22:00"}',
      '1: quiet_hours.from: must be a time of day in quotes, such as "22:00"',
      undefined,
    ],
    [
      'quiet_hours: {from: "9:60", to: "22:00"}',
      '1: quiet_hours.from: must be a time of day in quotes, such as "22:00"',
      undefined,
    ],
    [
      'quiet_hours: {from: "9:00", to: "22:00", days: [mon, someday]}',
      '1: quiet_hours.days: days are mon, tue, wed, thu, fri, sat, sun',
      undefined,
    ],
    ['deadline: 1m', '1: deadline: "1m" is above the maximum of 30s', undefined],
    ['deadline: soon', '1: deadline: "soon" is not a duration, such as 30s, 1h30m or 7d', undefined],
    [
      'channels: {d: {type: desktop}}\nrules: [{channels: [d], message: "{"}]',
      '2: rules[0].message: has a brace that does not belong to a variable: write {{ and }} for braces',
      undefined,
    ],
    [
      'channels: {d: {type: desktop}}\nrules: [{channels: [d], quiet_hours: {from: "8", to: "9:00"}}]',
      '2: rules[0].quiet_hours.from: must be a time of day in quotes, such as "22:00"',
      undefined,
    ],
    [
      'quiet_hours: {from: "22:00", to: "07:00", time_zone: Mars/Base}',
      '1: quiet_hours.time_zone: "Mars/Base" is not a time zone, such as Europe/Berlin or UTC',
      undefined,
    ],
  ])('%s is refused', (text, message, hint) => {
    let thrown: unknown;
    try {
      read(text);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: 'ConfigError', message: `${file}:${message}` });
    if (hint !== undefined) expect(thrown).toMatchObject({ hint });
  });
});

describe('settings for a run', () => {
  function paths(named = true): HookPaths {
    return { config: { file, named }, state: path.join(folder, 'state'), home: '/home/a' };
  }

  test('are the standard ones without a file', async () => {
    expect(await loadSettings(paths(false), '1')).toEqual({ settings: defaultSettings, problem: undefined });
  });

  test('without a file notify of what waits, on the desktop and by a sound', async () => {
    expect((await loadSettings(paths(false), '1')).settings).toEqual({
      ...{ deadlineMs: 2500, forward: undefined, needsLengths: false },
      channels: { desktop: { type: 'desktop' }, sound: { type: 'sound' } },
      rules: [
        {
          events: ['Notification'],
          notificationTypes: ['permission_prompt', 'idle_prompt', 'elicitation_dialog'],
          ...{ reasons: [], folders: [], minSessionMs: 0, minTurnMs: 0, quiet: undefined, send: [] },
          channels: ['desktop', 'sound'],
        },
      ],
    });
  });

  test('are known without reading them again, also while the file is gone', async () => {
    expect(peekSettings(paths(false), '1')).toEqual({ last: defaultSettings, isCurrent: true });
    expect(peekSettings(paths(), '1')).toMatchObject({ last: undefined, isCurrent: false });
    writeFileSync(file, 'forward: {url: "http://x", token_env: T}');
    expect(peekSettings(paths(), '1')).toMatchObject({ last: undefined, isCurrent: false });
    await loadSettings(paths(), '1');
    const settings = JSON.parse(JSON.stringify(readSettingsFile(file, '/home/a')));
    expect(peekSettings(paths(), '1')).toMatchObject({ last: settings, isCurrent: true });
    rmSync(file);
    expect(peekSettings(paths(), '1')).toEqual({
      ...{ last: settings, isCurrent: false, problem: `${file} does not exist` },
    });
  });

  test.each([0o602, 0o620])('are not taken from a file that others may write (%o)', async (mode) => {
    writeFileSync(file, 'deadline: 1s');
    await loadSettings(paths(), '1');
    const cache = path.join(folder, 'state', 'settings.json');
    const kept = JSON.parse(readFileSync(cache, 'utf8'));
    writeFileSync(cache, JSON.stringify({ ...kept, settings: { ...kept.settings, deadlineMs: 1234 } }));
    chmodSync(cache, mode);
    expect((await loadSettings(paths(), '1')).settings.deadlineMs).toBe(1000);
  });

  test('notify no one if a named file is missing', async () => {
    const { settings, problem } = await loadSettings(paths(), '1');
    expect([settings.rules, settings.forward, problem]).toEqual([[], undefined, `${file} does not exist`]);
  });

  test('are kept in parsed form until the file changes', async () => {
    writeFileSync(file, 'deadline: 1s');
    expect((await loadSettings(paths(), '1')).settings.deadlineMs).toBe(1000);
    const cache = path.join(folder, 'state', 'settings.json');
    // Its fingerprint may contain the same digits.
    const kept = JSON.parse(readFileSync(cache, 'utf8'));
    writeFileSync(cache, JSON.stringify({ ...kept, settings: { ...kept.settings, deadlineMs: 1234 } }));
    expect((await loadSettings(paths(), '1')).settings.deadlineMs).toBe(1234);
    expect((await loadSettings(paths(), '2')).settings.deadlineMs).toBe(1000);
    writeFileSync(file, 'deadline: 2s');
    utimesSync(file, 1, 1);
    expect((await loadSettings(paths(), '2')).settings.deadlineMs).toBe(2000);
  });

  test('stay the last good ones while the file is broken', async () => {
    writeFileSync(file, 'deadline: 1s');
    await loadSettings(paths(), '1');
    writeFileSync(file, 'deadline: [');
    const { settings, problem } = await loadSettings(paths(), '1');
    expect(settings.deadlineMs).toBe(1000);
    expect(problem).toContain(`${file}:1: is not valid YAML`);
  });

  test.each(['', 'null', '{"fingerprint": 1}', '{'])('ignore the cached form if it is %j', async (kept) => {
    writeFileSync(file, 'deadline: 1s');
    mkdirSync(path.join(folder, 'state'));
    writeFileSync(path.join(folder, 'state', 'settings.json'), kept);
    expect((await loadSettings(paths(), '1')).settings.deadlineMs).toBe(1000);
  });
});
