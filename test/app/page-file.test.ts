import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pageFileBeside } from '../../src/app/page-file.ts';

function createFile() {
  const folder = mkdtempSync(path.join(tmpdir(), 'page-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, file: pageFileBeside(path.join(folder, 'history.db')) };
}

describe('the file of the kept page', () => {
  test('is beside that of the history, and only its user can read it', async () => {
    const { folder, file } = createFile();
    await file.write([Buffer.from('a'), Buffer.from('b')]);
    expect(file.path).toBe(path.join(folder, 'history-page.gz'));
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    expect(String(await file.read())).toBe('ab');
    expect(readdirSync(folder)).toEqual(['history-page.gz']);
  });

  test('may be missing', async () => {
    const { file } = createFile();
    expect(await file.read()).toBeUndefined();
    await file.remove();
  });

  test('is missing if its path leads through a file', async () => {
    const { folder } = createFile();
    writeFileSync(path.join(folder, 'data'), 'in the way');
    const file = pageFileBeside(path.join(folder, 'data', 'history.db'));
    expect(await file.read()).toBeUndefined();
    await file.remove();
  });

  test('is refused if it was cut off or altered', async () => {
    const { file } = createFile();
    await file.write([Buffer.from('abc'.repeat(1000))]);
    const bytes = readFileSync(file.path);
    writeFileSync(file.path, bytes.subarray(0, -1));
    await expect(file.read()).rejects.toThrow();
    const altered = Buffer.from(bytes);
    altered.writeUInt8(altered.readUInt8(bytes.length - 6) ^ 1, bytes.length - 6);
    writeFileSync(file.path, altered);
    await expect(file.read()).rejects.toThrow();
  });

  const others: [string, (file: string) => void][] = [
    ['a symbolic link to a page', (file) => symlinkSync(`${file}.elsewhere`, file)],
    ['a device that never ends', (file) => symlinkSync('/dev/zero', file)],
    ['a FIFO that nobody writes to', (file) => execFileSync('mkfifo', [file])],
    ['a directory', (file) => mkdirSync(file)],
  ];
  test.each(others)('is refused if it is %s', async (_what, replace) => {
    const { file } = createFile();
    await file.write([Buffer.from('page')]);
    renameSync(file.path, `${file.path}.elsewhere`);
    replace(file.path);
    await expect(file.read()).rejects.toThrow();
  });

  test('leaves what a planted link leads to as it is', async () => {
    const { folder, file } = createFile();
    const elsewhere = path.join(folder, 'elsewhere');
    writeFileSync(elsewhere, 'precious');
    for (const planted of [file.path, `${file.path}.new`]) {
      rmSync(planted, { force: true });
      symlinkSync(elsewhere, planted);
      await file.write([Buffer.from('page')]);
      expect(readFileSync(elsewhere, 'utf8')).toBe('precious');
      expect(String(await file.read())).toBe('page');
    }
  });

  test('is refused if it has more bytes than any page, or inflates to more', async () => {
    const { folder, file } = createFile();
    const limited = pageFileBeside(path.join(folder, 'history.db'), 1000);
    await file.write([Buffer.alloc(1000)]);
    expect(await limited.read()).toHaveLength(1000);
    await file.write([Buffer.alloc(1001)]);
    expect(statSync(file.path).size).toBeLessThan(1000);
    await expect(limited.read()).rejects.toThrow();
    truncateSync(file.path, 1001);
    await expect(limited.read()).rejects.toThrow('it has more than 1000 bytes');
  });

  test('is gone rather than larger than any page', async () => {
    const { folder } = createFile();
    const limited = pageFileBeside(path.join(folder, 'history.db'), 1000);
    await limited.write([Buffer.alloc(500), Buffer.alloc(500)]);
    await expect(limited.write([Buffer.alloc(500), Buffer.alloc(501)])).rejects.toThrow('it has more than');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('is gone if it could not be replaced, and so is what was begun', async () => {
    const { folder, file } = createFile();
    await file.write([Buffer.from('before')]);
    function* failing(): Generator<Buffer> {
      yield Buffer.from('begun');
      throw new Error('no more');
    }
    await expect(file.write(failing())).rejects.toThrow('no more');
    expect(readdirSync(folder)).toEqual([]);
    await file.write([Buffer.from('after')]);
    expect(String(await file.read())).toBe('after');
  });

  test('is gone too if writing it was aborted', async () => {
    const { folder, file } = createFile();
    await file.write([Buffer.from('before')]);
    await expect(
      file.write([Buffer.from('late')], AbortSignal.abort(new Error('too late'))),
    ).rejects.toThrow();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('replaces what an ended process has left unfinished', async () => {
    const { file } = createFile();
    writeFileSync(`${file.path}.new`, 'left', { mode: 0o644 });
    await file.write([Buffer.from('now')]);
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file.path}.new`)).toBe(false);
  });

  test('is rid of what an ended process has left unfinished, also without being replaced', async () => {
    const { folder, file } = createFile();
    await file.write([Buffer.from('page')]);
    writeFileSync(`${file.path}.new`, 'left');
    await file.removeUnfinished();
    await file.removeUnfinished();
    expect(readdirSync(folder)).toEqual(['history-page.gz']);
  });
});
