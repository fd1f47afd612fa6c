import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createFolder, readNow } from '../../src/runtime/files.ts';

test('a directory is created with those above it, once', () => {
  const top = mkdtempSync(path.join(tmpdir(), 'hook-files-'));
  try {
    expect(createFolder(path.join(top, 'a', 'b', 'c'))).toBe(path.join(top, 'a'));
    expect(createFolder(path.join(top, 'a', 'b', 'c'))).toBeUndefined();
    expect(existsSync(path.join(top, 'a', 'b', 'c'))).toBe(true);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
});

test.runIf(process.platform === 'linux')(
  'a directory that the system denies is an error, not an endless attempt',
  () => {
    expect(() => createFolder('/proc/no/such')).toThrow(/ENOENT/);
  },
);

test.runIf(process.platform === 'linux')('a pipe that nobody writes to is not waited for', () => {
  const top = mkdtempSync(path.join(tmpdir(), 'hook-files-'));
  try {
    expect(spawnSync('mkfifo', [path.join(top, 'token')]).status).toBe(0);
    expect(readNow(path.join(top, 'token'))).toBe('');
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
});
