import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFiles } from '../../src/files/reader.ts';
import { unreadable } from '../../src/files/text-file.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'files-'));
});
afterEach(() => rm(directory, { recursive: true }));

test('a file is read again only if it has changed, or may have changed within the same instant', async () => {
  const path = join(directory, 'key');
  const clock = { now: 0, elapsed: () => clock.now };
  const reads = vi.fn(async (path: string) => readFile(path));
  const files = createFiles(clock, reads);

  await writeFile(path, 'one');
  expect(await files.read(path)).toBe('one');
  clock.now = 2_000;
  expect(await files.read(path)).toBe('one');
  expect(reads).toHaveBeenCalledTimes(2);

  clock.now = 2_001;
  expect(await files.read(path)).toBe('one');
  expect(await files.read(path)).toBe('one');
  expect(reads).toHaveBeenCalledTimes(3);

  await writeFile(path, 'two');
  expect(await files.read(path)).toBe('two');
  expect(await files.read(path)).toBe('two');
  expect(reads).toHaveBeenCalledTimes(5);

  await rm(path);
  await expect(files.read(path)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a change within the same instant as the one before is found by the next read, however late that is', async () => {
  const path = join(directory, 'key');
  await writeFile(path, 'one');
  const clock = { now: 0, elapsed: () => clock.now };
  const texts = ['one', 'two'];
  const files = createFiles(clock, async () => Buffer.from(texts.shift() ?? ''));
  expect(await files.read(path)).toBe('one');
  clock.now = 60_000;
  expect(await files.read(path)).toBe('two');
  expect(await files.read(path)).toBe('two');
});

test('a device without an end is too large, and a pipe is read to its end', async () => {
  const files = createFiles();
  expect(await files.read('/dev/null')).toBe('');
  const endless = await files.read('/dev/zero').catch(unreadable);
  expect(endless).toBe('is too large');
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const [text] = await Promise.all([files.read(pipe), writeFile(pipe, 'one')]);
  expect(text).toBe('one');
});

test('a file that had content and is blank was not written to its end, until it has content again', async () => {
  const path = join(directory, 'teams.yaml');
  const files = createFiles();
  await writeFile(path, '');
  expect(await files.read(path)).toBe('');
  await writeFile(path, 'one');
  expect(await files.read(path)).toBe('one');
  for (const blank of ['', ' \n', '']) {
    await writeFile(path, blank);
    expect(await files.read(path).catch(unreadable)).toBe('is empty');
  }
  await writeFile(path, 'two');
  expect(await files.read(path)).toBe('two');
});
