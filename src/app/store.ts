import { randomUUID } from 'node:crypto';
import type { Collector } from '../catalog/collector.ts';
import type { DatasetName } from '../catalog/dataset.ts';
import type { StorageConfig } from '../config/storage.ts';
import { type History, NotStored } from '../history/history.ts';
import { createMemoryHistory } from '../history/memory.ts';
import type { Database } from '../history/postgres/database.ts';
import type { PostgresHistory } from '../history/postgres/history.ts';
import type { Leadership } from '../history/postgres/leader.ts';
import type { LeaderIntervals } from '../history/postgres/leader-row.ts';
import { createSqliteHistory, type SqliteHistory } from '../history/sqlite/history.ts';
import { readHistoryFile } from '../history/sqlite/reader.ts';
import type { Clock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';

/** The path that means memory instead of a file. */
export const MEMORY = ':memory:';

/** Where the history is stored. */
export interface Store {
  readonly history: History;
  /** Whether all of it is stored in its file; undefined without a file. */
  readonly isPersistent: (() => boolean) | undefined;
  /** For the metrics about the store; memory has no `isUp`. */
  readonly metrics: { readonly isUp: (() => boolean) | undefined; id(): string | undefined };
  /** The database that processes share; undefined for a file or memory. */
  readonly database: Database | undefined;
  /** Which of the processes that share the database polls; undefined for a file, for memory and for commands. */
  readonly leadership: Leadership | undefined;
  /** Reads what other processes have stored; undefined if there are none. */
  readonly catchUp: (() => Promise<void>) | undefined;
  /** What the store waits for; undefined once it was opened. */
  waitingFor(): string | undefined;
  /** Resolves once the store was opened; a file or memory is open at once. */
  readonly opened: Promise<void>;
  /** Resolves once answers can be stored; rejects when aborted. */
  usable(signal: AbortSignal): Promise<void>;
}

export interface StoreParts extends StorageConfig {
  readonly collectors: readonly Collector[];
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when more was loaded from the file after the start. */
  readonly onLateLoad: () => void;
  /** Once aborted, a file that is still being read is closed. */
  readonly signal?: AbortSignal;
  /** Called when another process has stored something. */
  readonly onChange?: (org: string, datasets: readonly DatasetName[]) => void;
  /** Whether this process may poll for all that share the database; a command keeps what it fetches to itself. */
  readonly leads?: boolean;
  readonly leaderIntervals?: LeaderIntervals | undefined;
}

/** Interval between checks of an unusable store, in milliseconds. */
const LOOK_MS = 1_000;

/** Opens the configured store; rejects with a `ConfigError` if its path is not a regular file. */
export async function openStore(parts: StoreParts): Promise<Store> {
  const { path, url } = parts;
  const schemaVersionOf = schemaVersionsOf(parts.collectors);
  if (url !== undefined) return openDatabase({ ...parts, url }, schemaVersionOf);
  if (path === MEMORY) return local(createMemoryHistory());
  const onDamage = parts.onDamage === 'exit' ? 'keep' : 'replace';
  return local(await createSqliteHistory({ ...parts, onDamage, schemaVersionOf }));
}

/**
 * What the configured store holds, for commands: they read a file beside the exporter that owns it, and what they add stays in
 * memory. Rejects with a `ConfigError` if it cannot be used.
 */
export async function readStore(
  parts: Pick<StoreParts, 'path' | 'url' | 'onDamage' | 'collectors' | 'clock' | 'log'>,
): Promise<History> {
  const { path, url, clock } = parts;
  if (url === undefined && path !== MEMORY)
    return readHistoryFile({ ...parts, schemaVersionOf: schemaVersionsOf(parts.collectors) });
  const store = await openStore({ ...parts, onLateLoad: () => undefined });
  await requireOpen(store, clock);
  return store.history;
}

function schemaVersionsOf(collectors: readonly Collector[]): (name: DatasetName) => number {
  const versions = new Map(collectors.map(({ dataset }) => [dataset.name, dataset.schemaVersion ?? 1]));
  return (name) => versions.get(name) ?? 1;
}

/** For commands, which do not wait for a database: rejects with a `ConfigError` if it cannot be used. */
export async function requireOpen({ database, history, waitingFor }: Store, clock: Clock): Promise<void> {
  while (waitingFor() !== undefined) {
    const trouble = database?.trouble();
    if (trouble !== undefined) {
      await history.close();
      throw new ConfigError(`storage.url: ${trouble.detail}`, trouble.hint);
    }
    await clock.wait(LOOK_MS / 10);
  }
}

function local(history: History & Partial<Pick<SqliteHistory, 'isPersistent' | 'storeId'>>): Store {
  const { isPersistent } = history;
  const memoryId = randomUUID();
  const storeId = history.storeId ?? (() => memoryId);
  return {
    ...{ history, isPersistent, database: undefined, leadership: undefined, catchUp: undefined },
    metrics: { isUp: isPersistent, id: storeId },
    waitingFor: () => undefined,
    opened: Promise.resolve(),
    usable: () => Promise.resolve(),
  };
}

async function openDatabase(
  parts: StoreParts & { readonly url: NonNullable<StorageConfig['url']> },
  schemaVersionOf: (name: DatasetName) => number,
): Promise<Store> {
  const { url, clock } = parts;
  // Loaded here: most exporters have a file.
  const { createDatabase } = await import('../history/postgres/database.ts');
  const { createPostgresHistory } = await import('../history/postgres/history.ts');
  const { createLeadership } = await import('../history/postgres/leader.ts');
  const { createLeaderStore } = await import('../history/postgres/leader-store.ts');
  const database = createDatabase({ ...parts, onLost: () => leadership?.connectionLost() });
  const leadership: Leadership | undefined =
    parts.leads === true
      ? createLeadership({
          store: createLeaderStore({ database, reopen: () => history.reopen() }),
          ...{ id: randomUUID(), clock, log: parts.log, intervals: parts.leaderIntervals },
        })
      : undefined;
  const history: PostgresHistory = createPostgresHistory({
    ...{ ...parts, database, schemaVersionOf, leadership, isPrivate: leadership === undefined },
  });
  return {
    ...{ history, database, leadership, isPersistent: undefined, opened: history.opened },
    catchUp: history.catchUp,
    metrics: { isUp: database.isUp, id: history.storeId },
    waitingFor() {
      if (history.storeId() !== undefined) return undefined;
      return `the database of ${url.describe()} (${database.trouble()?.reason ?? 'connecting'})`;
    },
    async usable(signal) {
      while (!database.isUp()) await clock.wait(LOOK_MS, signal);
    },
  };
}

/** Logs a failure, except that of an unusable database, which the database logs once. */
export function logUnlessNotStored(log: Logger, message: string, error: unknown): void {
  if (!(error instanceof NotStored)) log.error(message, { error });
}
