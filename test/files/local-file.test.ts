import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createFolder, readNow, writeWhole } from '../../src/files/local-file.ts';

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

test('a file has the permissions that it is given, whatever the umask, and otherwise those of its owner', () => {
  const top = mkdtempSync(path.join(tmpdir(), 'hook-files-'));
  const before = process.umask(0o077);
  try {
    const [shared, own] = [path.join(top, 'shared'), path.join(top, 'own')];
    writeWhole(shared, '', { mode: 0o640 });
    writeWhole(own, '');
    expect([shared, own].map((file) => statSync(file).mode & 0o777)).toEqual([0o640, 0o600]);
  } finally {
    process.umask(before);
    rmSync(top, { recursive: true, force: true });
  }
});

test.runIf(process.platform === 'linux')(
  'a directory that the system denies is an error, not an endless attempt',
  () => {
    expect(() => createFolder('/proc/no/such')).toThrow(/ENOENT/);
  },
);

test.runIf(process.platform === 'linux')('a device without an end is empty', () => {
  const source = new URL('../../src/files/local-file.ts', import.meta.url).href;
  const code = `console.log((await import('${source}')).readNow('/dev/zero').length)`;
  // Reading on would fill the memory.
  const limited = 'ulimit -d 4000000 && exec "$0" --input-type=module --eval "$1"';
  expect(String(spawnSync('/bin/sh', ['-c', limited, process.execPath, code]).stdout)).toBe('0\n');
});

test.runIf(process.platform === 'linux')('a pipe that nobody writes to is not waited for', () => {
  const top = mkdtempSync(path.join(tmpdir(), 'hook-files-'));
  try {
    expect(spawnSync('mkfifo', [path.join(top, 'token')]).status).toBe(0);
    expect(readNow(path.join(top, 'token'))).toBe('');
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
});
