import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { readStore } from '../../src/app/store.ts';
import type { Store } from '../../src/store/store.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { answer, bytesIn, contentOf, createDirectory, listing, openStore } from './files.ts';

const [monday, tuesday] = ['2026-03-02', '2026-03-03'] as const;

async function written(file = path.join(createDirectory(), 'history.db')) {
  const store = openStore(file);
  await store.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 1 } }, 1, 'org_1'));
  await store.putDocuments('acme', 'readiness', listing({ a: { id: 'a' } }));
  await store.putRequests('acme', { day: dayNamed(monday), requests: 7 });
  return { file, store };
}

async function read(file: string) {
  const log = createFakeLogger();
  const parts = {
    path: file,
    url: undefined,
    orgs: ['acme'],
    collectors: [],
    clock: createSystemClock(),
    log,
  };
  return Object.assign(await readStore(parts), { log });
}

describe('a command', () => {
  test.each(['while an exporter owns it', 'after its exporter has stopped'])(
    'reads all of a file %s, and changes nothing',
    async (when) => {
      const { file, store } = await written();
      const content = await contentOf(store);
      if (when.startsWith('after')) await store.close();
      const before = bytesIn(path.dirname(file));
      const reader = await read(file);
      expect(await contentOf(reader)).toEqual(content);
      expect(await reader.requestsOf('acme')).toEqual({ day: monday, requests: 7 });
      // What it fetches is its own.
      await reader.putDays('acme', 'tokens', answer([tuesday], { [tuesday]: { n: 2 } }));
      await reader.putRequests('acme', { day: dayNamed(monday), requests: 8 });
      expect((await reader.read('acme')).days('tokens').size).toBe(2);
      await reader.close();
      const after = bytesIn(path.dirname(file));
      // The index of the log in memory notes its readers.
      const files = (all: typeof before) => [...all].filter(([name]) => !name.endsWith('-shm'));
      expect(files(after)).toEqual(files(before));
      expect(await contentOf(when.startsWith('after') ? openStore(file) : store)).toEqual(content);
    },
  );

  test('reads what was committed before a power failure or kill of the exporter', async () => {
    const { file } = await written();
    const folder = createDirectory();
    // The files as they are at this moment, with a log and without an owner.
    for (const [name, bytes] of bytesIn(path.dirname(file)))
      writeFileSync(path.join(folder, name), Buffer.from(bytes, 'base64'));
    const reader = await read(path.join(folder, 'history.db'));
    expect((await reader.read('acme')).days('tokens').size).toBe(1);
  });

  test.each<[string, (reader: Store) => Promise<unknown>, unknown]>([
    ['an organization', async (reader) => (await reader.read('acme')).days('tokens').size, 1],
    ['a dataset', async (reader) => (await reader.readDataset('acme', 'tokens')).days.size, 1],
    ['what is known', async (reader) => (await reader.standing('acme')).orgId, 'org_1'],
    ['requests', async (reader) => (await reader.requestsOf('acme'))?.requests, 7],
  ])('reads what is stored, whatever it reads first: %s', async (_, first, stored) => {
    const { file } = await written();
    const reader = await read(file);
    expect(await first(reader)).toBe(stored);
    await reader.close();
  });

  test('begins with an empty store where there is no file, and creates none', async () => {
    const folder = createDirectory();
    const reader = await read(path.join(folder, 'history.db'));
    expect((await reader.read('acme')).days('tokens').size).toBe(0);
    expect(bytesIn(folder).size).toBe(0);
  });

  test('refuses a damaged file, and says what replaces it', async () => {
    const { file, store } = await written();
    await store.close();
    writeFileSync(file, readFileSync(file).fill(0xa5, 4096));
    await expect(read(file)).rejects.toThrow('is damaged');
  });

  test.each([
    ['a newer release', 'PRAGMA user_version = 99', 'was written by a newer release'],
    ['an older version', 'PRAGMA user_version = 1', 'was written by an older version'],
    ['another program', 'PRAGMA application_id = 1; DROP TABLE day', 'is not a file of this exporter'],
  ])('refuses a file of %s', async (_, change, message) => {
    const { file, store } = await written();
    await store.close();
    const db = new DatabaseSync(file);
    db.exec(change);
    db.close();
    await expect(read(file)).rejects.toThrow(message);
  });
});
