import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type HookEvent, waitingTypes } from '../../src/agent/event.ts';
import { wordsFor } from '../../src/agent/notify/notice.ts';
import { applies, isQuiet, matchesFolder } from '../../src/agent/rules.ts';
import { followSession, unknownLengths } from '../../src/agent/sessions.ts';
import type { Rule } from '../../src/agent/settings/settings.ts';
import { fill } from '../../src/agent/template.ts';
import { propertyRuns } from '../support/thoroughness.ts';

const always: Rule = {
  events: [],
  reasons: [],
  notificationTypes: [],
  folders: [],
  minSessionMs: 0,
  minTurnMs: 0,
  quiet: undefined,
  channels: ['a'],
  send: [],
};

function event(name: string, fields: Readonly<Record<string, string>> = {}): HookEvent {
  return {
    name,
    sessionId: fields['session_id'],
    reason: fields['reason'],
    notificationType: fields['notification_type'],
    cwd: fields['cwd'],
    fields: { hook_event_name: name, ...fields },
  };
}

describe('a rule', () => {
  test.each([
    [{}, event('Anything'), true],
    [{ events: ['Stop', 'New'] }, event('New'), true],
    [{ events: ['Stop'] }, event('stop'), false],
    [{ reasons: ['error'] }, event('SessionEnd', { reason: 'error' }), true],
    [{ reasons: ['error'] }, event('SessionEnd'), false],
    [{ notificationTypes: [...waitingTypes] }, event('Notification'), true],
    [
      { notificationTypes: [...waitingTypes] },
      event('Notification', { notification_type: 'idle_prompt' }),
      true,
    ],
    [
      { notificationTypes: [...waitingTypes] },
      event('Notification', { notification_type: 'auth_success' }),
      false,
    ],
    [{ notificationTypes: ['new'] }, event('Notification', { notification_type: 'new' }), true],
    [{ notificationTypes: ['new'] }, event('Stop'), true],
    [{ folders: ['/work/*'] }, event('Stop', { cwd: '/work/a/src' }), true],
    [{ folders: ['/work/*'] }, event('Stop', { cwd: '/work' }), false],
    [{ folders: ['/work/*'] }, event('Stop'), false],
    [{ minSessionMs: 60_000 }, event('Stop'), false],
    [{ minTurnMs: 10_000 }, event('Stop'), true],
  ])('%j applies to %j: %s', (rule, which, expected) => {
    expect(applies({ ...always, ...rule }, which, { sessionMs: 59_999, turnMs: 10_000 }, 0)).toBe(expected);
  });
});

describe('a folder pattern', () => {
  test.each([
    ['/work/acme', '/work/acme', true],
    ['/work/acme', '/work/acme/src/deep', true],
    ['/work/acme', '/work/acme2', false],
    ['/work/acme/', '/work/acme', true],
    ['**/secret', '/a/b/secret/c', true],
    ['**/secret', '/a/b/secrets', false],
    ['/w/**/x', '/w/x', true],
    ['/w/**/x', '/w/a/b/x', true],
    ['/w/?', '/w/a', true],
    ['/w/a.b', '/w/aXb', false],
    ['C:\\work\\*', 'C:/work/a', true],
    ['c:\\work\\*', 'C:/work/a', true],
    ['C:/work', 'c:\\work\\a', true],
    ['C:/work', 'c:/Work', false],
  ])('%s matches %s: %s', (pattern, folder, expected) => {
    expect(matchesFolder(pattern, folder)).toBe(expected);
  });

  test('matches the same directory by whichever links either leads there', () => {
    const root = mkdtempSync(path.join(tmpdir(), 'hook-folders-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const [real, link] = [path.join(root, 'disk'), path.join(root, 'home')];
    mkdirSync(path.join(real, 'work', 'shop'), { recursive: true });
    mkdirSync(path.join(real, 'workshop'));
    symlinkSync(real, link, 'junction');
    symlinkSync(path.join(real, 'work', 'shop'), path.join(real, 'short'), 'junction');
    for (const [home, other] of [
      [link, real],
      [real, link],
      [link, link],
    ] as const) {
      expect(matchesFolder(`${home}/work/**`, path.join(other, 'work', 'shop'))).toBe(true);
      expect(matchesFolder(`${home}/w*k`, path.join(other, 'work', 'shop'))).toBe(true);
      expect(matchesFolder(`${home}/work`, path.join(other, 'short'))).toBe(true);
      expect(matchesFolder(`${home}/short/`, path.join(other, 'work', 'shop'))).toBe(true);
      expect(matchesFolder('**/short', path.join(other, 'short'))).toBe(true);
      expect(matchesFolder(`${home}/work/**`, path.join(other, 'workshop'))).toBe(false);
      // One that is gone is compared as it is written.
      expect(matchesFolder(`${home}/gone/*`, path.join(home, 'gone', 'a'))).toBe(true);
    }
  });
});

describe('quiet hours', () => {
  const night = { from: 22 * 60, to: 7 * 60, days: [], timeZone: 'Europe/Berlin' };

  test.each([
    ['2026-11-20T20:59:00Z', false],
    ['2026-11-20T21:00:00Z', true],
    ['2026-11-21T05:59:00Z', true],
    ['2026-11-21T06:00:00Z', false],
    // Summer: an hour earlier in UTC.
    ['2026-07-20T20:00:00Z', true],
    ['2026-07-21T05:00:00Z', false],
  ])('over midnight in Berlin, at %s: %s', (instant, quiet) => {
    expect(isQuiet(night, Date.parse(instant))).toBe(quiet);
  });

  test.each([
    // 20 November 2026 is a Friday.
    ['2026-11-20T23:00:00Z', true],
    ['2026-11-21T03:00:00Z', true],
    ['2026-11-21T23:00:00Z', false],
    ['2026-11-20T03:00:00Z', false],
  ])('belong to the day on which they begin, at %s: %s', (instant, quiet) => {
    expect(isQuiet({ ...night, days: ['fri'], timeZone: 'UTC' }, Date.parse(instant))).toBe(quiet);
  });

  test('can be a whole day', () => {
    const weekend = { from: 0, to: 1440, days: ['sat', 'sun'], timeZone: 'UTC' };
    expect(isQuiet(weekend, Date.parse('2026-11-21T23:59:59Z'))).toBe(true);
    expect(isQuiet(weekend, Date.parse('2026-11-23T00:00:00Z'))).toBe(false);
  });
});

describe('a template', () => {
  test('is filled with members, also deeper ones', () => {
    expect(fill('{a} {{x}} {b.c}{missing}{b.c.d}', { a: 1, b: { c: 'two' } })).toBe('1 {x} two');
  });

  test('reaches nothing but members', () => {
    expect(fill('[{constructor}{__proto__.x}{toString}]', {})).toBe('[]');
  });

  test('shows no control characters and stays short, whatever is in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), (value) => {
        const text = fill('{v}'.repeat(9), { v: value });
        expect(text.length).toBeLessThanOrEqual(4000);
        expect(text).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
        expect(text.isWellFormed()).toBe(true);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test('is the default text where the event has none of its members', () => {
    const rule = { title: '{project}', message: '{message}' };
    expect(wordsFor(rule, event('Notification'), unknownLengths)).toEqual({
      title: '',
      text: 'A session of the agent is waiting for you',
    });
  });

  test('by default says that the agent waits only where it does', () => {
    const textOf = (type: string) =>
      wordsFor({}, event('Notification', { notification_type: type }), unknownLengths).text;
    expect(textOf('permission_prompt')).toBe('A session of the agent is waiting for you');
    expect(textOf('auth_success')).toBe('Event Notification');
  });

  test('shows no invisible characters that reorder or join text', () => {
    expect(fill('{v}', { v: 'a\u061cb\u2060c\u200fd\u202ee' })).toBe('abcde');
  });

  test('shows the beginning of a value that is nested deeply, or nothing where that cannot be written', () => {
    const nested: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    // Node 24 cannot write it, Node 26 can.
    expect(fill('a{v}b', { v: nested })).toMatch(/^a(?:\[{1000})?b$/);
  });

  test('by default reveals nothing about the work', () => {
    const fields = { cwd: '/home/a/secret', message: 'secret', prompt: 'secret', transcript_path: 'secret' };
    for (const name of [
      'Notification',
      'Stop',
      'SubagentStop',
      'SessionStart',
      'SessionEnd',
      'PreToolUse',
      'New',
    ]) {
      const words = wordsFor({}, event(name, fields), unknownLengths);
      expect(JSON.stringify(words)).not.toContain('secret');
      expect(words.text).not.toBe('');
    }
  });

  test('may ask for the project, the session and its length', () => {
    const words = wordsFor(
      { title: '{project}\n{session}', message: '{session_length}, {turn_length}' },
      event('Stop', { cwd: '/home/a/shop/', session_id: '0123456789' }),
      { sessionMs: 3_725_000, turnMs: 59_000 },
    );
    expect(words).toEqual({ title: 'shop 01234567', text: '1 h 2 min, 59 s' });
  });
});

describe('the length of a session', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'hook-sessions-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const of = (name: string, now: number, fields = {}) =>
    followSession(folder, event(name, { session_id: '../a b', ...fields }), now);

  test('is that since its start, and that of a turn since the last prompt', () => {
    expect(of('SessionStart', 1000)).toEqual({ sessionMs: 0, turnMs: 0 });
    expect(of('UserPromptSubmit', 5000)).toEqual({ sessionMs: 4000, turnMs: 0 });
    expect(of('SessionStart', 6000, { source: 'compact' })).toEqual({ sessionMs: 5000, turnMs: 1000 });
    expect(of('Stop', 9000)).toEqual({ sessionMs: 8000, turnMs: 4000 });
    expect(of('SessionStart', 10_000, { source: 'resume' })).toEqual({ sessionMs: 0, turnMs: 0 });
    expect(of('SessionEnd', 12_000)).toEqual({ sessionMs: 2000, turnMs: 2000 });
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is kept for a bounded number of sessions', () => {
    for (let nth = 0; nth < 700; nth++) of('SessionStart', nth, { session_id: `s${nth}` });
    expect(readdirSync(folder).length).toBeLessThanOrEqual(500);
  });
});
