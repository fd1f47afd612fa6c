import {
  existsSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFileLog } from '../../src/agent/log.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const MAX_BYTES = 262_144;
let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hook-log-'));
  file = path.join(folder, 'state', 'hook.log');
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function write(message: string): Promise<void> {
  const log = createFileLog(file, createFakeClock(NOW));
  log.warn(message);
  await log.write();
}

describe('the log of a run', () => {
  test('has a line for each problem, in order, without the secrets that were read', async () => {
    const log = createFileLog(file, createFakeClock(NOW));
    log.error('First', { why: 'the token geheim123 is wrong', events: 2 });
    log.warn('Second');
    log.remember('geheim123');
    await log.write();
    const ts = 'ts=2026-11-20T12:00:00.000Z';
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(new RegExp(`^${ts} level=error msg=First why="the token \\S+ is wrong" events=2\n`));
    expect(text).toMatch(new RegExp(`\n${ts} level=warn msg=Second\n$`));
    expect(text).not.toContain('geheim123');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    // Each is written once.
    await log.write();
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('does not exist if there was none', async () => {
    await createFileLog(file, createFakeClock(NOW)).write();
    expect(existsSync(path.dirname(file))).toBe(false);
  });

  test('keeps one older file, once it is larger than 256 KiB', async () => {
    await write('First');
    const full = 'x'.repeat(MAX_BYTES);
    writeFileSync(file, full);
    await write('Second');
    expect(existsSync(`${file}.1`)).toBe(false);
    expect(readFileSync(file, 'utf8')).toContain(`${full}ts=`);
    const before = readFileSync(file, 'utf8');
    await write('Third');
    expect(readFileSync(`${file}.1`, 'utf8')).toBe(before);
    expect(readFileSync(file, 'utf8')).toMatch(/^ts=\S+ level=warn msg=Third\n$/);
  });

  test('writes into no file that has another name too, and through no link', async () => {
    const other = path.join(folder, 'other');
    writeFileSync(other, 'mine');
    await write('First');
    for (const link of [linkSync, symlinkSync]) {
      rmSync(file);
      link(other, file);
      await write('Second');
      expect(readFileSync(other, 'utf8')).toBe('mine');
      expect(readFileSync(file, 'utf8')).toContain('Second');
    }
  });

  test('is given up silently where nothing can be written', async () => {
    writeFileSync(path.join(folder, 'state'), 'a file');
    await expect(write('First')).resolves.toBeUndefined();
  });
});
