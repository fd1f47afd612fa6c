import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { mergeAgentFile } from '../../src/agent/agent-file.ts';
import { takeLock } from '../../src/store/lock.ts';
import { createFakeClock } from '../support/fake-clock.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hook-agent-file-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function merge(file: string, event: string, lock: string) {
  const clock = createFakeClock(0, { autoAdvance: true });
  return mergeAgentFile(file, [event], { command: 'x hook' }, { lock, clock });
}

test('a merge waits for another process, and keeps what that wrote', async () => {
  const [file, lock] = [path.join(folder, 'hooks.json'), path.join(folder, 'lock')];
  const taken = takeLock(lock);
  const merging = merge(file, 'Stop', lock);
  writeFileSync(file, '{"SessionEnd": []}');
  taken.release();
  await merging;
  expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['SessionEnd', 'Stop']);
});

test('a merge changes nothing while another process keeps the lock', async () => {
  const [file, lock] = [path.join(folder, 'hooks.json'), path.join(folder, 'lock')];
  const taken = takeLock(lock);
  writeFileSync(file, '{}');
  await expect(merge(file, 'Stop', lock)).rejects.toThrow('another process has locked');
  expect(readFileSync(file, 'utf8')).toBe('{}');
  taken.release();
});

test('a merge does without a lock that cannot be created', async () => {
  const file = path.join(folder, 'hooks.json');
  writeFileSync(file, '{}');
  await merge(file, 'Stop', path.join(file, 'lock'));
  expect(readFileSync(file, 'utf8')).toContain('x hook');
});
