import { execFile } from 'node:child_process';
import { mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { promisify } from 'node:util';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { openOutput, outputFile } from '../../src/export/sink.ts';
import { writtenTo } from '../support/written.ts';

let folder = '';
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'output-file-')));
  onTestFinished(() => rm(folder, { recursive: true }));
});

test('a file is written where its path leads', async () => {
  const file = join(folder, 'a.csv');
  expect(await outputFile(file)).toBe(file);
  await writeFile(file, '');
  await symlink('a.csv', join(folder, 'link.csv'));
  expect(await outputFile(file)).toBe(file);
  expect(await outputFile(join(folder, 'link.csv'))).toBe(file);
});

test('what is no file is refused, each by what it is', async () => {
  const [link, pipe] = [join(folder, 'link'), join(folder, 'pipe')];
  await symlink('nothing', link);
  await promisify(execFile)('mkfifo', [pipe]);
  await expect(outputFile(folder)).rejects.toThrow(`--output: ${folder} is a directory`);
  await expect(outputFile(link)).rejects.toThrow(`--output: ${link} is a symbolic link to nothing`);
  await expect(outputFile(pipe)).rejects.toThrow(`--output: ${pipe} is not a regular file`);
});

test('a file in a folder that does not exist is refused by its name', async () => {
  const file = join(folder, 'none', 'a.csv');
  await expect(openOutput(file, new PassThrough())).rejects.toThrow(`--output: cannot write ${file}: ENOENT`);
});

test('disposal leaves nothing unfinished', async () => {
  {
    await using sink = await openOutput(join(folder, 'a.csv'), new PassThrough());
    await sink.write('half');
    expect(await readdir(folder)).toEqual(['a.csv.unfinished']);
  }
  expect(await readdir(folder)).toEqual([]);
});

test('without a path, rows go to standard output once they are complete', async () => {
  const stdout = new PassThrough();
  const sink = await openOutput(undefined, stdout);
  await sink.write('row\n');
  expect(writtenTo(stdout)).toBe('');
  await sink.finish();
  expect(writtenTo(stdout)).toBe('row\n');
});
