import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { DatasetName } from '../../src/catalog/dataset.ts';
import type { Day } from '../../src/catalog/day.ts';
import type { History } from '../../src/history/history.ts';
import { createSqliteHistory, type SqliteHistoryDeps } from '../../src/history/sqlite/history.ts';
import { readHistoryFile } from '../../src/history/sqlite/reader.ts';
import { createSystemClock } from '../../src/runtime/clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

/** A new directory, removed after the test. */
export function createDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'history-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** Opens a history on a file, with a log that records its events. */
export async function openHistory(file: string, deps: Partial<SqliteHistoryDeps> = {}) {
  const log = createFakeLogger();
  const history = await createSqliteHistory({
    path: file,
    schemaVersionOf: () => 1,
    clock: createSystemClock(),
    log,
    ...deps,
  });
  onTestFinished(() => history.close());
  return Object.assign(history, { log });
}

/** What a file holds, which an exporter may own. */
export function readBeside(file: string): Promise<History> {
  const clock = createSystemClock();
  return readHistoryFile({ path: file, schemaVersionOf: () => 1, clock, log: createFakeLogger() });
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

/** The complete content of a history, in a canonical form. */
export async function contentOf(
  history: History,
  orgs: readonly string[] = ['acme'],
  datasets: readonly DatasetName[] = ['tokens', 'tools', 'readiness'],
) {
  const content: Record<string, unknown> = {};
  for (const name of orgs) {
    const org = await history.read(name);
    content[name] = { orgId: org.orgId };
    for (const dataset of datasets) {
      const days = [...org.days(dataset)].map(([day, row]) => `${day} ${JSON.stringify(row)}`);
      content[`${name}/${dataset}`] = {
        days: days.sort(),
        documents: org
          .documents(dataset)
          .map((document) => JSON.stringify(document))
          .sort(),
        answeredAt: org.answeredAt(dataset),
        revisedOn: await history.revisedOn(name, dataset),
      };
    }
  }
  return content;
}
