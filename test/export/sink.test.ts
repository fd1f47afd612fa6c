import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createFileSink } from '../../src/export/sink.ts';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'sink-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

test('a file appears when it is complete, and an abandoned one leaves nothing', async () => {
  const path = await folder();
  const abandoned = await createFileSink(join(path, 'a.csv'));
  await abandoned.write('half');
  await abandoned.abandon();
  expect(await readdir(path)).toEqual([]);
  const sink = await createFileSink(join(path, 'a.csv'));
  await sink.write('all');
  expect(await readdir(path)).toEqual(['a.csv.unfinished']);
  await sink.finish();
  await sink.abandon();
  expect(await readdir(path)).toEqual(['a.csv']);
});

test('of two writers of one file the first one fails, and neither publishes what the other has half written', async () => {
  const path = await folder();
  const file = join(path, 'a.csv');
  const first = await createFileSink(file);
  await first.write('first');
  const second = await createFileSink(file);
  await second.write('second');
  await expect(first.finish()).rejects.toThrow(`another process writes ${file}`);
  await first.abandon();
  expect(await readdir(path)).toEqual(['a.csv.unfinished']);
  await second.finish();
  expect(await readFile(file, 'utf8')).toBe('second');
});
