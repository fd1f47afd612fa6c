import { randomUUID } from 'node:crypto';
import type { Collector } from '../catalog/collector.ts';
import type { StorageConfig } from '../config/storage.ts';
import type { ShownStore } from '../exposition/instruments.ts';
import type { Logger } from '../log/logger.ts';
import { ignoreNotStored, NotStored, type StoreDatabase, type StoreDatabases } from '../store/database.ts';
import { COUNTS, countsFileBeside, DAYS, readStoreId } from '../store/layouts.ts';
import type { Leader } from '../store/leader.ts';
import type { LeaderIntervals } from '../store/leader-row.ts';
import { copyOrgs, type ReadPart, readFile } from '../store/reader.ts';
import type { SharedDatabase } from '../store/shared.ts';
import { SqlStore, type StoreParts } from '../store/sql-store.ts';
import { MEMORY, SqliteDatabase } from '../store/sqlite.ts';
import { openFiles } from '../store/sqlite-files.ts';
import type { Store } from '../store/store.ts';
import { ConfigError } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';

/** The opened store, and how to watch it. */
export interface Storage {
  readonly store: Store;
  /** The database of the counts, for the hook intake. */
  readonly counts: StoreDatabase;
  /** What the metrics about the store show. */
  readonly shown: ShownStore;
  /** Decides which process polls, in a database that processes share; undefined for files and memory. */
  readonly leadership: Leader | undefined;
  /** The reason why the store is not open yet; undefined once it is open. */
  waitingFor(): string | undefined;
  /** Resolves once the store was opened; files and memory are open at once. */
  readonly opened: Promise<void>;
  /** Resolves once the store is available; rejects when aborted. */
  usable(signal: AbortSignal): Promise<void>;
}

interface StorageParts extends StorageConfig {
  readonly collectors: readonly Collector[];
  readonly clock: Clock;
  readonly log: Logger;
  /** Aborts the wait for files that another process owns. */
  readonly signal?: AbortSignal;
  /** Ends the process; called when damage is found at run time in a file that must not be replaced. */
  readonly onExit?: (error: ConfigError) => void;
  readonly leaderIntervals?: LeaderIntervals | undefined;
}

/** Interval between checks of an unavailable store, in milliseconds. */
const LOOK_MS = 1_000;

/** Opens the configured store; rejects with a `ConfigError` if its files must not be used. */
export async function openStorage(parts: StorageParts): Promise<Storage> {
  const { path, url, clock } = parts;
  if (url !== undefined) return openDatabase({ ...parts, url });
  const databases = path === MEMORY ? openMemory(parts) : await openFiles(parts);
  const { days, counts } = databases;
  const made = randomUUID();
  const named: { storeId: string | undefined } = { storeId: undefined };
  let idEpoch: string | undefined;

  /** Writes the store's id into a file that has taken the place of another one. Also retries a file that could not be written. */
  async function keepId(): Promise<void> {
    const epoch = await counts.transaction((query) => counts.epochOf(query), 'snapshot');
    if (epoch === idEpoch && counts.isUp()) return;
    await counts.transaction(async (query) => {
      named.storeId = await readStoreId(query, named.storeId ?? made);
      idEpoch = await counts.epochOf(query);
    });
  }

  await keepId().catch(ignoreNotStored);
  const store = storeOf(parts, { ...databases, beforeSweep: () => keepId().catch(ignoreNotStored) });
  return {
    counts,
    leadership: undefined,
    store,
    shown: path === MEMORY ? { databases: [], named } : { databases: [days, counts], areFiles: true, named },
    waitingFor: () => undefined,
    opened: Promise.resolve(),
    async usable(signal) {
      const isUsable = () =>
        store.demandWritable().then(
          () => true,
          () => false,
        );
      while (!(await isUsable())) await clock.wait(LOOK_MS, signal);
    },
  };
}

function openMemory({ log }: Pick<StorageParts, 'log'>): StoreDatabases {
  const deps = { path: MEMORY, onDamage: 'replace', log } as const;
  return {
    days: SqliteDatabase.open({ ...deps, layout: DAYS }),
    counts: SqliteDatabase.open({ ...deps, layout: COUNTS }),
  };
}

function storeOf(
  parts: Pick<StorageParts, 'collectors' | 'clock' | 'log'>,
  databases: Pick<StoreParts, 'days' | 'counts' | 'beforeSweep'> & { readonly leadership?: Leader },
): Store {
  const { leadership } = databases;
  return new SqlStore({
    ...parts,
    ...databases,
    datasets: parts.collectors.map(({ dataset }) => dataset),
    ...(leadership && {
      write: (work) => leadership.write(work),
      mayWrite: () => leadership.isLeader(),
    }),
  });
}

async function openDatabase(
  parts: StorageParts & { readonly url: NonNullable<StorageConfig['url']> },
): Promise<Storage> {
  const { url, clock } = parts;
  const database = await connect(parts);
  const { leadership, opened } = database;
  return {
    store: storeOf(parts, { days: database, counts: database, leadership }),
    counts: database,
    leadership,
    opened,
    shown: { databases: [database], named: database },
    waitingFor() {
      if (database.storeId !== undefined) return undefined;
      return `the database of ${url.describe()} (${database.trouble()?.reason ?? 'connecting'})`;
    },
    async usable(signal) {
      while (!database.isUp()) await clock.wait(LOOK_MS, signal);
    },
  };
}

/** Loads the PostgreSQL store on use, because most exporters use files. */
async function connect(
  parts: Pick<StorageParts, 'clock' | 'log' | 'leaderIntervals'> & {
    readonly url: NonNullable<StorageConfig['url']>;
  },
): Promise<SharedDatabase> {
  const { SharedDatabase } = await import('../store/shared.ts');
  return new SharedDatabase({ ...parts, intervals: parts.leaderIntervals });
}

/**
 * Copies some organizations from the configured store into memory, for commands: they read while an exporter owns the store, and
 * what they add stays in memory. Rejects with a `ConfigError` if the store is unavailable.
 */
export async function readStore(
  parts: Pick<StorageParts, 'path' | 'url' | 'collectors' | 'clock' | 'log'> & {
    readonly orgs: readonly string[];
  },
): Promise<Store> {
  const { path, url, orgs, clock } = parts;
  const memory = openMemory(parts);
  const write: ReadPart = (part, work) => memory[part].transaction(work, 'write');
  if (url !== undefined) {
    const database = await connect({ ...parts, url });
    try {
      await requireOpen(database, clock);
      await copyOrgs(orgs, (_, work) => database.transaction(work, 'snapshot'), write);
    } finally {
      await database.close();
    }
  } else if (path !== MEMORY) {
    const read: ReadPart = (part, work) =>
      part === 'days' ? readFile(path, DAYS, work) : readFile(countsFileBeside(path), COUNTS, work);
    await copyOrgs(orgs, read, write);
  }
  return storeOf(parts, memory);
}

/** Reads a database for commands, which do not wait for one: rejects with a `ConfigError` if it is unavailable. */
async function requireOpen(database: SharedDatabase, clock: Clock): Promise<void> {
  while (database.storeId === undefined) {
    const trouble = database.trouble();
    if (trouble !== undefined) throw new ConfigError(`storage.url: ${trouble.detail}`, trouble.hint);
    await clock.wait(LOOK_MS / 10);
  }
}

/** Logs a failure, except a `NotStored`: the store logs its own outage once. */
export function logUnlessNotStored(log: Logger, message: string, error: unknown): void {
  if (!(error instanceof NotStored)) log.error(message, { error });
}
