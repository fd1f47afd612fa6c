import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type HookEvent, parseEvent } from '../../src/agent/event.ts';
import { claimEvent } from '../../src/agent/run-hook.ts';

let root = '';
let folder = '';

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'hook-claim-'));
  folder = path.join(root, 'state', 'events');
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function event(fields: object = {}): HookEvent {
  const parsed = parseEvent(JSON.stringify({ hook_event_name: 'Stop', session_id: 's', ...fields }));
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed;
}

test('an event that is delivered twice within seconds is claimed once, wherever the seconds begin', () => {
  const offsets = [0, 1, 2999, 3000];
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom(...offsets), fc.constantFrom(...offsets), (at, first, second) => {
      const one = event({ at, first, second });
      const claims = [at + first, at + second, at + first].map((now) => claimEvent(folder, one, now));
      expect(claims.filter(Boolean)).toHaveLength(1);
    }),
  );
});

test.each([
  ['another id of the tool call', { tool_use_id: 'b' }],
  ['another input', { tool_input: { file: 'b' } }],
  ['another session', { session_id: 't' }],
  ['another name', { hook_event_name: 'SessionEnd' }],
])('an event with %s is another one', (_, fields) => {
  const first = { tool_use_id: 'a', tool_input: { file: 'a' } };
  expect(claimEvent(folder, event(first), 0)).toBe(true);
  expect(claimEvent(folder, event({ ...first, ...fields }), 0)).toBe(true);
  expect(claimEvent(folder, event(first), 0)).toBe(false);
});

test('an equal event is a new one 6 s later, and old claims do not stay', () => {
  const times = [0, 6000, 12_000, 86_400_000, 0];
  expect(times.map((now) => claimEvent(folder, event(), now))).toEqual(times.map(() => true));
  expect(readdirSync(folder)).toHaveLength(2);
  expect(statSync(folder).mode & 0o077).toBe(0);
});

test.each([
  ['without a session', { session_id: undefined }, false],
  ['that cannot be recorded', {}, true],
])('an event %s always counts', (_, fields, isUnusable) => {
  if (isUnusable) writeFileSync(path.join(root, 'state'), '');
  expect([1, 2].map(() => claimEvent(folder, event(fields), 0))).toEqual([true, true]);
});
