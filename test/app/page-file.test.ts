import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
});
