import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { readStore } from '../../src/app/store.ts';
import type { DatasetName } from '../../src/catalog/dataset.ts';
import type { Day } from '../../src/catalog/day.ts';
import { collectors } from '../../src/collectors/index.ts';
import { COUNTS, countsFileBeside, DAYS } from '../../src/store/layouts.ts';
import { SqlStore } from '../../src/store/sql-store.ts';
import { MEMORY, SqliteDatabase, type SqliteDeps } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

/** A new directory, removed after the test. */
export function createDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'history-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Opens a store on files, with a log that records its events. */
export function openStore(file: string, deps: Partial<SqliteDeps> = {}) {
  const log = createFakeLogger();
  const isMemory = file === MEMORY;
  const parts = { onDamage: 'replace', log, ...deps } as const;
  const store: Store = new SqlStore({
    days: SqliteDatabase.open({ ...parts, path: file, layout: DAYS }),
    counts: SqliteDatabase.open({ ...parts, path: isMemory ? file : countsFileBeside(file), layout: COUNTS }),
    datasets: [],
    clock: createSystemClock(),
    log,
  });
  onTestFinished(() => store.close());
  return Object.assign(store, { log });
}

/** What a file holds, which an exporter may own. */
export function readBeside(file: string, org = 'acme'): Promise<Store> {
  const clock = createSystemClock();
  return readStore({ path: file, url: undefined, orgs: [org], collectors, clock, log: createFakeLogger() });
}

/** The bytes of every file of a directory. */
export function bytesIn(directory: string): ReadonlyMap<string, string> {
  return new Map(
    readdirSync(directory).map((name) => [name, readFileSync(path.join(directory, name)).toString('base64')]),
  );
}

export function answer(
  days: readonly string[],
  rows: Readonly<Record<string, unknown>> = {},
  at = 1,
  orgId?: string,
) {
  return { days: days as Day[], rows: new Map(Object.entries(rows)) as Map<Day, unknown>, orgId, at };
}

export function listing(documents: Readonly<Record<string, unknown>>, complete = true, at = 1) {
  return { documents: new Map(Object.entries(documents)), complete, orgId: undefined, at };
}

/** The complete content of a store, in a canonical form. */
export async function contentOf(
  store: Store,
  orgs: readonly string[] = ['acme'],
  datasets: readonly DatasetName[] = ['tokens', 'tools', 'readiness'],
) {
  const content: Record<string, unknown> = {};
  for (const name of orgs) {
    const org = await store.read(name);
    content[name] = { orgId: org.orgId };
    for (const dataset of datasets) {
      const days = org.days(dataset);
      const { answeredAt, revisedOn } = org.dataset(dataset);
      content[`${name}/${dataset}`] = {
        days: [...days.keys()].map((day) => `${day} ${JSON.stringify(days.get(day))}`),
        documents: org
          .documents(dataset)
          .map((document) => JSON.stringify(document))
          .sort(),
        ...{ answeredAt, revisedOn },
      };
    }
  }
  return content;
}
