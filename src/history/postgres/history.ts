import type { DatasetName } from '../../catalog/dataset.ts';
import { parseDay } from '../../catalog/day.ts';
import { backoffMs } from '../../runtime/backoff.ts';
import type { Clock } from '../../runtime/clock.ts';
import { messageOf } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { createSerialQueue, type SerialQueue } from '../../runtime/serial-queue.ts';
import { createSlices } from '../../runtime/slices.ts';
import { type History, NotStored, type RequestCount } from '../history.ts';
import { createHistoryState, type HistoryState, type Touched } from '../state.ts';
import type { Database, Query } from './database.ts';
import type { Leadership } from './leader.ts';
import { readRows, type SchemaVersionOf, type StoredRows, withRows, writeTouched } from './rows.ts';
import { migrate, readStanding, refuseCopied } from './schema.ts';
import { firstKeptDay } from './sweep.ts';

/** Interval between checks for changes of other processes, in milliseconds. */
const LOOK_MS = 1_000;
/** The waits between attempts to use the database, in milliseconds. */
const RETRY = { baseMs: 1_000, capMs: 5_000 };

export interface PostgresHistoryDeps {
  readonly database: Database;
  /** The schema version of a dataset's rows: those stored with another version are fetched again. */
  readonly schemaVersionOf: SchemaVersionOf;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when another process has changed what is stored of an organization. */
  readonly onChange?: (org: string, datasets: readonly DatasetName[]) => void;
  /** Without it, any process may write: for tests. */
  readonly leadership?: Pick<Leadership, 'isLeader' | 'write' | 'wentBack'> | undefined;
  /** Whether this process keeps what it is given to itself; for commands. */
  readonly isPrivate?: boolean | undefined;
}

/** A history in a database that several processes share. */
export interface PostgresHistory extends History {
  /** Identifies the store, the same in all of its processes; undefined until it was opened. */
  storeId(): string | undefined;
  /** Makes the schema current, after it was dropped or emptied. */
  reopen(): Promise<void>;
  /** Reads what others have stored. */
  catchUp(): Promise<void>;
  /** Resolves once the schema is current; the database is tried again until then. */
  readonly opened: Promise<void>;
}

/** What is stored of one organization's name. */
interface Known {
  readonly state: HistoryState;
  readonly version: number;
  /** The epoch in which it was read: in another one, commits may be missing. */
  readonly epoch: string;
}

/**
 * Creates a history in a PostgreSQL database. Each process holds what it has read of the organizations that it was asked
 * about; a write applies what others have stored meanwhile, and is in memory only once it is committed.
 */
export function createPostgresHistory(deps: PostgresHistoryDeps): PostgresHistory {
  const { database, schemaVersionOf, clock, log } = deps;
  const known = new Map<string, Known>();
  const queues = new Map<string, SerialQueue>();
  const closing = new AbortController();
  let storeId: string | undefined;

  async function open(): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        const id = await migrate(database);
        await refuseCopied(database);
        storeId = id;
        return;
      } catch (error) {
        // Reported by the database.
        log.debug('Opening the database failed', { error: messageOf(error) });
        await clock.wait(backoffMs(tries, RETRY), closing.signal);
      }
    }
  }

  const opened = open();
  const watching = opened.then(watch).catch(() => undefined);

  async function watch(): Promise<void> {
    for (;;) {
      await clock.wait(LOOK_MS, closing.signal);
      await look().catch((error: unknown) =>
        log.debug('Check for changes in the database failed', { error: messageOf(error) }),
      );
    }
  }

  /** Reads what others have changed. */
  async function look(): Promise<void> {
    const orgs = [...known.keys()];
    const { epoch, rows } = await database.transaction(
      async (query) => ({
        ...(await readStanding(query, database.schema)),
        rows: await query(
          `SELECT org, version::float8 FROM ${database.schema}.org_version WHERE org = ANY($1)`,
          [orgs],
        ),
      }),
      'snapshot',
    );
    const versions = new Map(rows.map((row) => [String(row['org']), Number(row['version'])]));
    for (const org of orgs) {
      const { version, epoch: before } = known.get(org) ?? NOTHING_READ;
      if (before !== epoch || (versions.get(org) ?? 0) !== version)
        await queueOf(org).run(() => refresh(org));
    }
  }

  function queueOf(org: string): SerialQueue {
    const queue = queues.get(org) ?? createSerialQueue();
    queues.set(org, queue);
    return queue;
  }

  /** Reads an organization, or what is new of it; reports the changes unless it was not known. */
  async function refresh(org: string): Promise<Known> {
    const before = known.get(org);
    const { now, changed } = await database.transaction(async (query) => {
      const { epoch } = await readStanding(query, database.schema);
      const [row] = await query(
        `SELECT version::float8, reset_version::float8 FROM ${database.schema}.org_version WHERE org = $1`,
        [org],
      );
      const at = {
        epoch,
        version: Number(row?.['version'] ?? 0),
        reset: Number(row?.['reset_version'] ?? 0),
      };
      return caughtUp(query, org, at);
    }, 'snapshot');
    noteOlder(org, before, now.version);
    known.set(org, now);
    if (before !== undefined && changed.length > 0) deps.onChange?.(org, changed);
    return now;
  }

  /** A version that is lower than one seen earlier says that the database has lost commits. */
  function noteOlder(org: string, before: Known | undefined, version: number): boolean {
    if (before === undefined || version >= before.version) return false;
    deps.leadership?.wentBack({ org, version, seen: before.version });
    return true;
  }

  /** What is stored of an organization at a version, and the datasets that differ from what was known. */
  async function caughtUp(
    query: Query,
    org: string,
    { epoch, version, reset }: { readonly epoch: string; readonly version: number; readonly reset: number },
  ): Promise<{ readonly now: Known; readonly changed: readonly DatasetName[] }> {
    const before = known.get(org);
    const isWhole = before === undefined || before.epoch !== epoch || before.version > version;
    // After a deletion or a move, newer rows alone do not show what is stored.
    const base = !isWhole && before.version >= reset ? before : undefined;
    if (base !== undefined && base.version >= version) return { now: base, changed: [] };
    const rows = await readRows(query, database.schema, org, base?.version ?? -1);
    const slices = createSlices(clock);
    const { slots, unreadable } = await withRows(
      base?.state.slots() ?? new Map(),
      org,
      rows,
      schemaVersionOf,
      slices,
    );
    if (unreadable > 0 && before === undefined)
      log.warn('Refetching stored rows with an outdated schema or a bad checksum', { org, unreadable });
    const changed = new Set(datasetsIn(rows));
    // What is no longer there has changed too.
    if (base === undefined)
      for (const name of before?.state.slots().get(org)?.datasets.keys() ?? []) changed.add(name);
    return { now: { state: createHistoryState(slots), version, epoch }, changed: [...changed] };
  }

  async function knownOf(org: string): Promise<Known> {
    return known.get(org) ?? (await queueOf(org).run(async () => known.get(org) ?? (await refresh(org))));
  }

  /** Runs statements as a transaction that may write. */
  function write<Result>(work: (query: Query, epoch: string) => Promise<Result>): Promise<Result> {
    if (deps.leadership !== undefined) return deps.leadership.write(work);
    return database.transaction(async (query) =>
      work(query, (await readStanding(query, database.schema)).epoch),
    );
  }

  type Work<Result> = (state: HistoryState) => {
    readonly result: Result;
    readonly touched: readonly Touched[];
  };

  /** Changes an organization: in the database as one transaction, then in memory. */
  function change<Result>(org: string, work: Work<Result>): Promise<Result> {
    return queueOf(org).run(() => (deps.isPrivate === true ? changeHere(org, work) : changeNow(org, work)));
  }

  async function changeHere<Result>(org: string, work: Work<Result>): Promise<Result> {
    const now = known.get(org) ?? (await refresh(org));
    const state = createHistoryState(now.state.slots());
    const { result } = work(state);
    known.set(org, { ...now, state });
    return result;
  }

  async function changeNow<Result>(org: string, work: Work<Result>): Promise<Result> {
    const outcome = await write(async (query, epoch) => {
      // Locks the organization until the end of the transaction; its writers come one after the other.
      const [row] = await query(
        `INSERT INTO ${database.schema}.org_version AS old (org, version) VALUES ($1, 1)
         ON CONFLICT (org) DO UPDATE SET version = old.version + 1
         RETURNING version::float8, reset_version::float8`,
        [org],
      );
      const version = Number(row?.['version']);
      if (noteOlder(org, known.get(org), version - 1)) throw outdated();
      const at = { epoch, version: version - 1, reset: Number(row?.['reset_version']) };
      const { now, changed } = await caughtUp(query, org, at);
      const state = createHistoryState(now.state.slots());
      const { result, touched } = work(state);
      const isReset = await writeTouched(
        query,
        database.schema,
        { state, touched, version },
        schemaVersionOf,
        createSlices(clock),
      );
      if (isReset)
        await query(`UPDATE ${database.schema}.org_version SET reset_version = $2 WHERE org = $1`, [
          org,
          version,
        ]);
      return { result, changed, next: { state, version, epoch } };
    });
    known.set(org, outcome.next);
    if (outcome.changed.length > 0) deps.onChange?.(org, outcome.changed);
    return outcome.result;
  }

  /** Changes every known organization that this process may change. */
  async function changeAll(work: (state: HistoryState, org: string) => readonly Touched[]): Promise<void> {
    if (!mayWrite()) return;
    const slices = createSlices(clock);
    for (const org of [...known.keys()]) {
      await slices.next();
      const { state } = await knownOf(org);
      // Most sweeps change nothing and need no transaction.
      if (work(createHistoryState(state.slots()), org).length === 0) continue;
      await change(org, (current) => ({ result: undefined, touched: work(current, org) }));
    }
  }

  function mayWrite(): boolean {
    return deps.leadership?.isLeader() !== false;
  }

  return {
    opened,
    catchUp: look,
    async reopen() {
      storeId = await migrate(database);
    },
    storeId: () => storeId,
    read: async (org) => (await knownOf(org)).state.read(org),
    async adopt(org, orgId) {
      const before = (await knownOf(org)).state.identity(org)?.orgId;
      if (before === orgId) return;
      await change(org, (state) => ({ result: undefined, touched: state.adopt(org, orgId) }));
      if (before === undefined) return;
      log.warn('Organization of this name changed; history of the former one set aside', {
        ...{ org, orgId, before },
      });
    },
    async putConfirmedKey(org, key) {
      if ((await knownOf(org)).state.identity(org)?.confirmedKey === key) return;
      await change(org, (state) => ({ result: undefined, touched: state.putConfirmedKey(org, key) }));
    },
    putDays: (org, dataset, answer) =>
      change(org, (state) => {
        const { stored, days } = state.putDays(org, dataset, answer);
        return { result: stored, touched: [{ org, dataset, days, documents: [] }] };
      }),
    putDocuments: (org, dataset, answer) =>
      change(org, (state) => {
        const documents = state.putDocuments(org, dataset, answer);
        return { result: undefined, touched: [{ org, dataset, days: [], documents }] };
      }),
    revisedOn: async (org, dataset) => (await knownOf(org)).state.dataset(org, dataset)?.revisedOn,
    putRevisedOn: (org, dataset, day) =>
      change(org, (state) => {
        state.putRevisedOn(org, dataset, day);
        return { result: undefined, touched: [{ org, dataset, days: [], documents: [] }] };
      }),
    putSucceeded: (org, dataset, at) =>
      change(org, (state) => {
        state.putSucceeded(org, dataset, at);
        return { result: undefined, touched: [{ org, dataset, days: [], documents: [] }] };
      }),
    async requestsOf(org) {
      const [row] = await database.transaction(async (query) => {
        await readStanding(query, database.schema);
        return query(
          `SELECT day::text, requests::float8 FROM ${database.schema}.request_count WHERE org = $1`,
          [org],
        );
      }, 'snapshot');
      const day = parseDay(String(row?.['day']));
      return day && { day, requests: Number(row?.['requests']) };
    },
    async putRequests(org, { day, requests }: RequestCount) {
      if (deps.isPrivate === true) return;
      await write(async (query) => {
        await query(
          `INSERT INTO ${database.schema}.request_count (org, day, requests) VALUES ($1, $2, $3)
           ON CONFLICT (org) DO UPDATE SET day = excluded.day, requests = excluded.requests`,
          [org, day, requests],
        );
      });
    },
    async amend(dataset, work) {
      await changeAll((state) => [...state.amend(dataset, work)].flat());
    },
    async sweep(retention) {
      if (retention === undefined || storeId === undefined || !mayWrite()) return;
      const { schema } = database;
      const { firstDay, orgs } = await write(async (query) => ({
        firstDay: await firstKeptDay(query, schema, retention),
        orgs: await query(`SELECT org FROM ${schema}.org_version`),
      }));
      // Those that are no longer configured too.
      for (const row of orgs) await knownOf(String(row['org']));
      if (firstDay !== undefined)
        await changeAll((state) => [...state.dropBefore(firstDay, retention.orgs)].flat());
    },
    async close() {
      closing.abort();
      await watching;
      await Promise.all([...queues.values()].map((queue) => queue.idle()));
      await database.close();
    },
  };
}

/** An organization that was not read yet. */
const NOTHING_READ = { version: -1, epoch: '' };

function outdated(): NotStored {
  const detail = 'the database has lost commits';
  return new NotStored(detail, { reason: 'outdated', detail, hint: 'nothing: what is stored is read again' });
}

/** The datasets of changed rows. */
function datasetsIn({ datasets, days, documents }: StoredRows): readonly DatasetName[] {
  const names = [...datasets, ...days, ...documents].map((row) => String(row['dataset']) as DatasetName);
  return [...new Set(names)];
}
