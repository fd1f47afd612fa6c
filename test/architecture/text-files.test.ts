import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Files that this program alone writes, which may be read without a look at their encoding. */
const OWN: ReadonlyMap<string, string> = new Map([
  ['src/backfill/state-file.ts', 'JSON; a damaged one is refused'],
  ['src/agent/forward/spool.ts', 'events, whose size and id are compared'],
  ['src/agent/settings/load-settings.ts', 'settings as JSON; their text was examined before'],
  ['src/files/installation.ts', 'package.json'],
  ['src/store/lock.ts', 'the name of a process'],
]);

test('every file that others write is read by textOf, which refuses what is not UTF-8', () => {
  const reading = globSync('{src,bin}/**/*.{ts,js}', { cwd: ROOT })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => /readFile(?:Sync)?\([^;]*'utf-?8'/.test(readFileSync(path.join(ROOT, file), 'utf8')));
  expect(reading.toSorted()).toEqual([...OWN.keys()].toSorted());
});

test('no directory is created by Node.js with those above it, which never ends below /proc', () => {
  const creating = globSync('{src,bin}/**/*.{ts,js}', { cwd: ROOT }).filter((file) =>
    /\bmkdir(?:Sync)?\([^;]*recursive/.test(readFileSync(path.join(ROOT, file), 'utf8')),
  );
  expect(creating, 'use createFolder of src/files/local-file.ts').toEqual([]);
});
