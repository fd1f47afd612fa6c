import { execFile } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { run as backfill } from '../../src/commands/backfill.ts';
import { run as exportRun } from '../../src/commands/export.ts';
import { backfillOptions, exportOptions } from '../../src/config/command-options.ts';
import { createOptions } from '../../src/config/options.ts';
import { outputFile } from '../../src/export/sink.ts';
import { takeLock } from '../../src/store/lock.ts';
import { createContext } from './surroundings.ts';

// Nothing listens there: a refusal comes before anything is fetched.
const environment = { AGENT_PLATFORM_API_BASE_URL: 'http://127.0.0.1:1', AGENT_PLATFORM_API_KEY: 'key' };

async function folder(): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'output-')));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

function exported(output: string): Promise<number> {
  return exportRun(createContext(exportOptions, [`--output=${output}`], environment).context);
}

function backfilled(output: string): Promise<number> {
  return backfill(createContext(backfillOptions, [`--output=${output}`], environment).context);
}

// As root, the rename of a finished file would replace even /dev/null.
test.each([
  ['export', exported],
  ['backfill', backfilled],
])('%s refuses a pipe or device as output, and leaves it as it is', async (_, write) => {
  const pipe = join(await folder(), 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  await expect(write(pipe)).rejects.toThrow(`--output: ${pipe} is not a regular file`);
  expect((await lstat(pipe)).isFIFO()).toBe(true);
});

test('export refuses a directory before it fetches anything', async () => {
  const path = await folder();
  await expect(exported(path)).rejects.toThrow(`--output: ${path} is a directory`);
  await expect(exported(`${path}/`)).rejects.toThrow('is a directory');
});

test('a symbolic link is followed, not replaced', async () => {
  const path = await folder();
  await writeFile(join(path, 'file.csv'), 'old');
  await symlink('file.csv', join(path, 'link.csv'));
  await symlink('nothing.csv', join(path, 'broken.csv'));
  expect(await outputFile(join(path, 'link.csv'))).toBe(join(path, 'file.csv'));
  await expect(outputFile(join(path, 'broken.csv'))).rejects.toThrow('is a symbolic link to nothing');
});

test('export leaves no unfinished file where the store cannot be opened', async () => {
  const path = await folder();
  const args = [`--output=${join(path, 'usage.csv')}`, `--storage.path=${path}`];
  const { context } = createContext({ ...exportOptions, ...createOptions([]) }, args, environment);
  await expect(exportRun(context)).rejects.toThrow(`${path} is a directory`);
  expect(await readdir(path)).toEqual([]);
});

test('a backfill says that it cannot create the directory of its output, not that a record of earlier ones is there', async () => {
  const path = join(await folder(), 'file');
  await writeFile(path, '');
  const { context } = createContext(backfillOptions, [`--output=${join(path, 'past')}`], environment);
  await expect(backfill({ ...context, stopSignal: () => AbortSignal.abort() })).rejects.toThrow(
    /^ENOTDIR.*mkdir/,
  );
});

test.each([
  ['a directory', 'past', 'past/backfill.lock'],
  ['a file', 'past.om', 'past.om.lock'],
])('two backfills do not write to one output at a time: %s', async (_, name, lockName) => {
  const inside = await folder();
  const output = join(inside, name);
  const { context } = createContext(backfillOptions, [`--output=${output}`], environment);
  // Stopped before it fetches anything.
  const stopped = () => backfill({ ...context, stopSignal: () => AbortSignal.abort() });
  await mkdir(dirname(join(inside, lockName)), { recursive: true });
  const lock = takeLock(join(inside, lockName));
  await expect(stopped()).rejects.toThrow(`--output: another backfill is writing to ${output}`);
  lock.undo();
  expect(await stopped()).toBe(1);
  await expect(lstat(join(inside, lockName))).rejects.toThrow('ENOENT');
});
